"""Why a file of the workbench cannot be read, in words for whoever meets it."""

import errno

# No file of the workbench is there: nothing, a folder, a socket, or a link that leads nowhere.
_NO_FILE = {errno.ENOENT, errno.ENOTDIR, errno.EISDIR, errno.ELOOP, errno.ENXIO}
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


def is_of_the_disk(error: Exception) -> bool:
    """Whether the reading failed by an error of the disk, the network or the process, which says nothing of the file.

    >>> is_of_the_disk(OSError(errno.EIO, "Input/output error")), is_of_the_disk(OSError("no archive"))
    (True, False)
    >>> is_of_the_disk(FileNotFoundError(errno.ENOENT, "No such file or directory"))
    False
    """
    return isinstance(error, OSError) and error.errno is not None and error.errno not in _NO_FILE
