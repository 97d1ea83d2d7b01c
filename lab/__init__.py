"""lab: what ran for the book. It records runs, judges what papers claim by them, and feeds the pages."""
