"""Where the files of data sets come from: npm, Debian, the photographs of two packages, or a user's own files."""
