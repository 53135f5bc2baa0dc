// The room's first file; see CONTRIBUTING.md.
