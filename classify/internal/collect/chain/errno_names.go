//go:build (unix && !aix) || windows

package chain

import "syscall"

// errnoID returns the rule id of a system error number, such as "errno/ECONNRESET".
// For anything else it returns "".
func errnoID(err error) string {
	e, ok := err.(syscall.Errno)
	if !ok {
		return ""
	}
	if id := systemErrnoID(e); id != "" {
		return id
	}
	switch e {
	case syscall.E2BIG:
		return "errno/E2BIG"
	case syscall.EACCES:
		return "errno/EACCES"
	case syscall.EADDRINUSE:
		return "errno/EADDRINUSE"
	case syscall.EADDRNOTAVAIL:
		return "errno/EADDRNOTAVAIL"
	case syscall.EAFNOSUPPORT:
		return "errno/EAFNOSUPPORT"
	case syscall.EAGAIN:
		return "errno/EAGAIN"
	case syscall.EBADF:
		return "errno/EBADF"
	case syscall.EBUSY:
		return "errno/EBUSY"
	case syscall.ECONNABORTED:
		return "errno/ECONNABORTED"
	case syscall.ECONNREFUSED:
		return "errno/ECONNREFUSED"
	case syscall.ECONNRESET:
		return "errno/ECONNRESET"
	case syscall.EDEADLK:
		return "errno/EDEADLK"
	case syscall.EDQUOT:
		return "errno/EDQUOT"
	case syscall.EEXIST:
		return "errno/EEXIST"
	case syscall.EFAULT:
		return "errno/EFAULT"
	case syscall.EFBIG:
		return "errno/EFBIG"
	case syscall.EHOSTDOWN:
		return "errno/EHOSTDOWN"
	case syscall.EHOSTUNREACH:
		return "errno/EHOSTUNREACH"
	case syscall.EINTR:
		return "errno/EINTR"
	case syscall.EINVAL:
		return "errno/EINVAL"
	case syscall.EIO:
		return "errno/EIO"
	case syscall.EISDIR:
		return "errno/EISDIR"
	case syscall.ELOOP:
		return "errno/ELOOP"
	case syscall.EMFILE:
		return "errno/EMFILE"
	case syscall.EMSGSIZE:
		return "errno/EMSGSIZE"
	case syscall.ENAMETOOLONG:
		return "errno/ENAMETOOLONG"
	case syscall.ENETDOWN:
		return "errno/ENETDOWN"
	case syscall.ENETRESET:
		return "errno/ENETRESET"
	case syscall.ENETUNREACH:
		return "errno/ENETUNREACH"
	case syscall.ENFILE:
		return "errno/ENFILE"
	case syscall.ENOBUFS:
		return "errno/ENOBUFS"
	case syscall.ENODEV:
		return "errno/ENODEV"
	case syscall.ENOENT:
		return "errno/ENOENT"
	case syscall.ENOEXEC:
		return "errno/ENOEXEC"
	case syscall.ENOLCK:
		return "errno/ENOLCK"
	case syscall.ENOMEM:
		return "errno/ENOMEM"
	case syscall.ENOSPC:
		return "errno/ENOSPC"
	case syscall.ENOSYS:
		return "errno/ENOSYS"
	case syscall.ENOTCONN:
		return "errno/ENOTCONN"
	case syscall.ENOTDIR:
		return "errno/ENOTDIR"
	case syscall.ENOTEMPTY:
		return "errno/ENOTEMPTY"
	case syscall.ENOTSOCK:
		return "errno/ENOTSOCK"
	case syscall.ENOTSUP:
		return "errno/ENOTSUP"
	case syscall.ENXIO:
		return "errno/ENXIO"
	case syscall.EPERM:
		return "errno/EPERM"
	case syscall.EPIPE:
		return "errno/EPIPE"
	case syscall.EPROTONOSUPPORT:
		return "errno/EPROTONOSUPPORT"
	case syscall.EPROTOTYPE:
		return "errno/EPROTOTYPE"
	case syscall.EROFS:
		return "errno/EROFS"
	case syscall.ESHUTDOWN:
		return "errno/ESHUTDOWN"
	case syscall.ESRCH:
		return "errno/ESRCH"
	case syscall.ESTALE:
		return "errno/ESTALE"
	case syscall.ETIMEDOUT:
		return "errno/ETIMEDOUT"
	case syscall.ETXTBSY:
		return "errno/ETXTBSY"
	case syscall.EXDEV:
		return "errno/EXDEV"
	}
	return ""
}
