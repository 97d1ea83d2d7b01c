"""What is looked for in every file, whichever kind its results are."""
