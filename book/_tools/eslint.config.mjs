// How the book's scripts are linted: classic scripts, for browsers alone, that know of each other by these names.
import js from "../../_build/axe/node_modules/@eslint/js/src/index.js";
import globals from "../../_build/axe/node_modules/globals/index.js";

const own = ["evalkitControls", "evalkitGames", "evalkitPictures", "evalkitStatistics", "scoreAnswers", "scoreReader"];
const sphinx = ["DOCUMENTATION_OPTIONS", "Search", "Stemmer", "stopwords"];

export default [
  js.configs.recommended,
  {
    languageOptions: {
      sourceType: "script",
      ecmaVersion: 2023,
      globals: { ...globals.browser, ...Object.fromEntries([...own, ...sphinx].map((name) => [name, "readonly"])) },
    },
    rules: {
      "no-redeclare": ["error", { builtinGlobals: false }],
      "no-unused-vars": ["error", { varsIgnorePattern: `^(${own.join("|")})$` }],
    },
  },
];
