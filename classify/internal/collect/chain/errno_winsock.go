package chain

// WindowsErrnoID returns the rule id for an error code of Windows (winerror.h) or
// Winsock. The id has the POSIX name. This file has no build constraint, so that
// tests run on every system.
func WindowsErrnoID(code uintptr) string {
	switch code {
	case 2, 3, 53, 67: // FILE_NOT_FOUND, PATH_NOT_FOUND, BAD_NETPATH, BAD_NET_NAME
		return "errno/ENOENT"
	case 4, 10024: // TOO_MANY_OPEN_FILES, WSAEMFILE
		return "errno/EMFILE"
	case 5, 1326, 10013: // ACCESS_DENIED, LOGON_FAILURE, WSAEACCES
		return "errno/EACCES"
	case 8, 14, 1455: // NOT_ENOUGH_MEMORY, OUTOFMEMORY, COMMITMENT_LIMIT
		return "errno/ENOMEM"
	case 19: // WRITE_PROTECT
		return "errno/EROFS"
	case 23, 1117: // CRC, IO_DEVICE
		return "errno/EIO"
	case 32, 33, 170: // SHARING_VIOLATION, LOCK_VIOLATION, BUSY
		return "errno/EBUSY"
	case 39, 112: // HANDLE_DISK_FULL, DISK_FULL
		return "errno/ENOSPC"
	case 64, 10054: // NETNAME_DELETED, WSAECONNRESET
		return "errno/ECONNRESET"
	case 80, 183: // FILE_EXISTS, ALREADY_EXISTS
		return "errno/EEXIST"
	case 109, 232: // BROKEN_PIPE, NO_DATA
		return "errno/EPIPE"
	case 121, 10060: // SEM_TIMEOUT, WSAETIMEDOUT
		return "errno/ETIMEDOUT"
	case 123, 161: // INVALID_NAME, BAD_PATHNAME
		return "errno/EINVAL"
	case 145: // DIR_NOT_EMPTY
		return "errno/ENOTEMPTY"
	case 193, 216: // BAD_EXE_FORMAT, EXE_MACHINE_TYPE_MISMATCH
		return "errno/ENOEXEC"
	case 206: // FILENAME_EXCED_RANGE
		return "errno/ENAMETOOLONG"
	case 267: // DIRECTORY
		return "errno/ENOTDIR"
	case 740, 1314: // ELEVATION_REQUIRED, PRIVILEGE_NOT_HELD
		return "errno/EPERM"
	case 1225, 10061: // CONNECTION_REFUSED, WSAECONNREFUSED
		return "errno/ECONNREFUSED"
	case 1231, 10051: // NETWORK_UNREACHABLE, WSAENETUNREACH
		return "errno/ENETUNREACH"
	case 1232, 10065: // HOST_UNREACHABLE, WSAEHOSTUNREACH
		return "errno/EHOSTUNREACH"
	case 1236, 10053: // CONNECTION_ABORTED, WSAECONNABORTED
		return "errno/ECONNABORTED"
	case 1295: // DISK_QUOTA_EXCEEDED
		return "errno/EDQUOT"
	case 1450, 10055: // NO_SYSTEM_RESOURCES, WSAENOBUFS
		return "errno/ENOBUFS"
	case 10035: // WSAEWOULDBLOCK
		return "errno/EAGAIN"
	case 10040: // WSAEMSGSIZE
		return "errno/EMSGSIZE"
	case 10043: // WSAEPROTONOSUPPORT
		return "errno/EPROTONOSUPPORT"
	case 10047: // WSAEAFNOSUPPORT
		return "errno/EAFNOSUPPORT"
	case 10048: // WSAEADDRINUSE
		return "errno/EADDRINUSE"
	case 10049: // WSAEADDRNOTAVAIL
		return "errno/EADDRNOTAVAIL"
	case 10050: // WSAENETDOWN
		return "errno/ENETDOWN"
	case 10052: // WSAENETRESET
		return "errno/ENETRESET"
	case 10057: // WSAENOTCONN
		return "errno/ENOTCONN"
	case 10058: // WSAESHUTDOWN
		return "errno/ESHUTDOWN"
	case 10064: // WSAEHOSTDOWN
		return "errno/EHOSTDOWN"
	case 11001: // WSAHOST_NOT_FOUND
		return "errno/ENOTFOUND"
	case 11002: // WSATRY_AGAIN
		return "errno/EAI_AGAIN"
	case 11004: // WSANO_DATA
		return "errno/EAI_NONAME"
	}
	return ""
}
