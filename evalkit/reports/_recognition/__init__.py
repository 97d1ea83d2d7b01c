"""From files to one long table: what its columns are for, and what must be asked."""
