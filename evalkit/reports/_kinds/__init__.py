"""The kinds of results: each module examines one, and says what is compared."""
