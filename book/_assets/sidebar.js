/* The contents beside a page show where one is. They stay as they were scrolled on the last page, unless the line of
   this page is out of sight there. Run as soon as the contents are read, before they are drawn: nothing jumps. The
   theme scrolls them once more, to the place that is written down here. */
"use strict";

{
  const bar = document.querySelector(".bd-sidebar-primary");
  const line = bar.querySelector('.bd-docs-nav a[href="#"]');
  bar.scrollTop = sessionStorage.getItem("sidebar-scroll-top") ?? 0;
  const { top, bottom } = (line ?? bar).getBoundingClientRect();
  if (line && (top < 0 || bottom > innerHeight)) bar.scrollTop += top - innerHeight / 3;
  sessionStorage.setItem("sidebar-scroll-top", bar.scrollTop);

  // On a phone this button opens them, and the theme moves them into a dialog.
  const open = ({ target }) => {
    if (line && target.closest(".primary-toggle")) requestAnimationFrame(() => line.scrollIntoView({ block: "center" }));
  };
  addEventListener("click", open, true); // the theme lets no other know of it
}
