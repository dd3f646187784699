"""Why a file of the workbench cannot be read, in words for whoever meets it."""

_OF_THE_CONTENT = "its content is not that of such a file"


def why(error: Exception) -> str:
    """Return the reason that a failed reading gives, as the end of a sentence.

    >>> why(FileNotFoundError(2, "No such file or directory", "data.npz"))
    'it is missing'
    >>> why(PermissionError(13, "Permission denied", "data.npz"))
    'permission denied'
    >>> why(EOFError("No data left in file"))
    'its content is not that of such a file'
    """
    if isinstance(error, FileNotFoundError):
        return "it is missing"
    # zipfile, bz2 and NumPy raise OSError without a number for content that they do not understand.
    if isinstance(error, OSError) and error.errno is not None and error.strerror:
        return error.strerror[0].lower() + error.strerror[1:]
    return _OF_THE_CONTENT
