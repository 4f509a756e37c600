package compat_test

import (
	"bytes"
	"context"
	"database/sql"
	"encoding/binary"
	"io"
	"net"
	"testing"

	"github.com/go-sql-driver/mysql"
	"github.com/stretchr/testify/require"

	"github.com/errclass/errclass/classify"
)

// mysqlFake is a minimal MySQL server without TLS
// (https://dev.mysql.com/doc/dev/mysql-server/latest/PAGE_PROTOCOL.html).
type mysqlFake struct {
	greeting []byte // sent instead of the handshake
	login    []byte // response to the login, nil = success
	query    []byte // response to a query, nil = no response
	hang     func() // called for a query without a response; nil = close the connection
}

// These are commands of the text protocol.
const (
	comQuit  = 0x01
	comQuery = 0x03
)

func (f mysqlFake) serve(t *testing.T) (address string) {
	t.Helper()
	return listen(t, f.session)
}

func (f mysqlFake) session(conn net.Conn) {
	if f.greeting != nil {
		_ = writePacket(conn, 0, f.greeting)
		return
	}
	if writePacket(conn, 0, mysqlHandshake()) != nil {
		return
	}
	sequence, _, err := readPacket(conn)
	if err != nil {
		return
	}
	if f.login != nil {
		_ = writePacket(conn, sequence+1, f.login)
		return
	}
	if writePacket(conn, sequence+1, mysqlOK) != nil {
		return
	}
	for {
		sequence, payload, err := readPacket(conn)
		switch {
		case err != nil, len(payload) == 0, payload[0] == comQuit:
			return
		case payload[0] != comQuery:
			err = writePacket(conn, sequence+1, mysqlOK)
		case f.query != nil:
			err = writePacket(conn, sequence+1, f.query)
		case f.hang != nil:
			f.hang() // the next read waits until the client disconnects
		default:
			return
		}
		if err != nil {
			return
		}
	}
}

// mysqlOK is an OK packet: no rows affected, autocommit on.
var mysqlOK = []byte{0x00, 0x00, 0x00, 0x02, 0x00, 0x00, 0x00}

// mysqlHandshake returns a Protocol::HandshakeV10 packet without CLIENT_SSL.
func mysqlHandshake() []byte {
	const (
		longPassword, connectWithDB, protocol41 = 1, 8, 1 << 9
		transactions, secureConnection          = 1 << 13, 1 << 15
		pluginAuth                              = 1 << 19
		capabilities                            = longPassword | connectWithDB | protocol41 | transactions | secureConnection | pluginAuth
	)
	var b bytes.Buffer
	b.WriteString("\x0a8.4.0\x00")
	b.Write([]byte{7, 0, 0, 0})   // the connection's id
	b.WriteString("01234567\x00") // the scramble's first part
	_ = binary.Write(&b, binary.LittleEndian, uint16(capabilities&0xffff))
	b.Write([]byte{45, 2, 0}) // utf8mb4, autocommit
	_ = binary.Write(&b, binary.LittleEndian, uint16(capabilities>>16))
	b.WriteByte(21) // the scramble's length
	b.Write(make([]byte, 10))
	b.WriteString("890123456789\x00mysql_native_password\x00")
	return b.Bytes()
}

// mysqlError returns an ERR packet. Before the handshake, state is empty.
func mysqlError(number uint16, state, message string) []byte {
	b := binary.LittleEndian.AppendUint16([]byte{0xff}, number)
	if state != "" {
		b = append(b, "#"+state...)
	}
	return append(b, message...)
}

func writePacket(w io.Writer, sequence byte, payload []byte) error {
	n := len(payload)
	_, err := w.Write(append([]byte{byte(n), byte(n >> 8), byte(n >> 16), sequence}, payload...))
	return err
}

func readPacket(r io.Reader) (sequence byte, payload []byte, err error) {
	var head [4]byte
	if _, err := io.ReadFull(r, head[:]); err != nil {
		return 0, nil, err
	}
	payload = make([]byte, int(head[0])|int(head[1])<<8|int(head[2])<<16)
	_, err = io.ReadFull(r, payload)
	return head[3], payload, err
}

// queryMySQL runs a statement through database/sql.
func queryMySQL(ctx context.Context, address, params string, dial dialer) error {
	config, err := mysql.ParseDSN("shop:none@tcp(" + address + ")/shop?" + params)
	if err != nil {
		return err
	}
	config.Logger = &mysql.NopLogger{}
	if dial != nil {
		config.DialFunc = dial
	}
	connector, err := mysql.NewConnector(config)
	if err != nil {
		return err
	}
	db := sql.OpenDB(connector)
	defer func() { _ = db.Close() }()
	_, err = db.ExecContext(ctx, "update stock set left_over = left_over - 1")
	return err
}

func TestMySQLErrors(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct {
		name string
		fake mysqlFake
		want want
	}{
		{"too many connections", mysqlFake{greeting: mysqlError(1040, "", "Too many connections")}, want{reason: classify.ReasonTransient}},
		{"host blocked", mysqlFake{greeting: mysqlError(1129, "", "Host '192.0.2.7' is blocked because of many connection errors; unblock with 'mysqladmin flush-hosts'")}, want{reason: classify.ReasonNetworkPermanent}},
		{"host not allowed", mysqlFake{greeting: mysqlError(1130, "", "Host '192.0.2.7' is not allowed to connect to this MySQL server")}, want{reason: classify.ReasonAuthentication}},
		{"password", mysqlFake{login: mysqlError(1045, "28000", "Access denied for user 'shop'@'192.0.2.7' (using password: YES)")}, want{reason: classify.ReasonAuthentication}},
		{"no such database", mysqlFake{login: mysqlError(1049, "42000", "Unknown database 'shop'")}, want{reason: classify.ReasonInvalidRequest}},
		{"user's connections", mysqlFake{login: mysqlError(1203, "42000", "User shop already has more than 'max_user_connections' active connections")}, want{reason: classify.ReasonTransient}},
		{"shutdown", mysqlFake{query: mysqlError(1053, "08S01", "Server shutdown in progress")}, want{reason: classify.ReasonTransient}},
		{"deadlock", mysqlFake{query: mysqlError(1213, "40001", "Deadlock found when trying to get lock; try restarting transaction")}, want{reason: classify.ReasonTransient}},
		{"lock", mysqlFake{query: mysqlError(1205, "HY000", "Lock wait timeout exceeded; try restarting transaction")}, want{reason: classify.ReasonTransient}},
		{"duplicate", mysqlFake{query: mysqlError(1062, "23000", "Duplicate entry 'timeout 429' for key 'users.email'")}, want{reason: classify.ReasonInvalidRequest}},
		{"syntax", mysqlFake{query: mysqlError(1064, "42000", "You have an error in your SQL syntax; check the manual that corresponds to your MySQL server version for the right syntax to use near 'selekt' at line 1")}, want{reason: classify.ReasonInvalidRequest}},
		{"no such table", mysqlFake{query: mysqlError(1146, "42S02", "Table 'shop.stocks' doesn't exist")}, want{reason: classify.ReasonInvalidRequest}},
		{"permission", mysqlFake{query: mysqlError(1142, "42000", "UPDATE command denied to user 'shop'@'192.0.2.7' for table 'stock'")}, want{reason: classify.ReasonAuthentication}},
		{"foreign key", mysqlFake{query: mysqlError(1452, "23000", "Cannot add or update a child row: a foreign key constraint fails (`shop`.`orders`)")}, want{reason: classify.ReasonInvalidRequest}},
		{"too long", mysqlFake{query: mysqlError(1406, "22001", "Data too long for column 'name' at row 1")}, want{reason: classify.ReasonInvalidRequest}},
		{"disk", mysqlFake{query: mysqlError(1021, "HY000", "Disk full (/tmp/#sql_1); waiting for someone to free some space... (errno: 28 \"No space left on device\")")}, want{reason: classify.ReasonResource}},
		{"table full", mysqlFake{query: mysqlError(1114, "HY000", "The table 'stock' is full")}, want{reason: classify.ReasonResource}},
		{"execution time", mysqlFake{query: mysqlError(3024, "HY000", "Query execution was interrupted, maximum statement execution time exceeded")}, want{reason: classify.ReasonTimeout}},
		{"MariaDB's execution time", mysqlFake{query: mysqlError(1969, "70100", "Query execution was interrupted (max_statement_time exceeded)")}, want{reason: classify.ReasonTimeout}},
		{"killed", mysqlFake{query: mysqlError(1317, "70100", "Query execution was interrupted")}, want{reason: classify.ReasonAborted}},
		{"dropped", mysqlFake{}, want{reason: classify.ReasonNetwork}},
		{"an old protocol", mysqlFake{greeting: []byte("\x095.0.0\x00")}, want{reason: classify.ReasonNetworkPermanent}},
	} {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			check(t, queryMySQL(t.Context(), tt.fake.serve(t), "", nil), tt.want)
		})
	}
}

func TestMySQLConnections(t *testing.T) {
	t.Parallel()
	for _, tt := range dialErrors {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			check(t, queryMySQL(t.Context(), "db.example:3306", "", failingDial(tt.err)), tt.want)
		})
	}
	t.Run("no TLS over there", func(t *testing.T) {
		t.Parallel()
		check(t, queryMySQL(t.Context(), mysqlFake{}.serve(t), "tls=true", nil), want{reason: classify.ReasonNetworkPermanent})
	})
	t.Run("DSN", func(t *testing.T) {
		t.Parallel()
		_, err := mysql.ParseDSN("shop@tcp(127.0.0.1:3306)")
		check(t, err, want{reason: classify.ReasonInvalidRequest})
	})
	t.Run("not allowed here", func(t *testing.T) {
		t.Parallel()
		require.ErrorContains(t, mysql.ErrPktTooLarge, "too large")
		check(t, mysql.ErrPktTooLarge, want{reason: classify.ReasonInvalidRequest})
	})
	t.Run("read timeout", func(t *testing.T) {
		t.Parallel()
		address := mysqlFake{hang: func() {}}.serve(t)
		// After readTimeout, the driver returns only ErrInvalidConn.
		check(t, queryMySQL(t.Context(), address, "readTimeout=30ms", nil), want{reason: classify.ReasonNetwork})
	})
	t.Run("the context's deadline", func(t *testing.T) {
		t.Parallel()
		ctx, cancel := context.WithTimeout(t.Context(), shortDeadline)
		defer cancel()
		check(t, queryMySQL(ctx, mysqlFake{hang: func() {}}.serve(t), "", nil), ownDeadline)
	})
	t.Run("the caller cancels", func(t *testing.T) {
		t.Parallel()
		ctx, cancel := context.WithCancel(t.Context())
		check(t, queryMySQL(ctx, mysqlFake{hang: cancel}.serve(t), "", nil), want{reason: classify.ReasonAborted})
	})
}
