package mask

import "strings"

// command describes which arguments of some programs are secrets.
type command struct {
	names string
	// options lists the options that have secrets. The last byte, the form, says
	// where the secret is:
	//
	//	-p_  the next argument
	//	-p*  the rest of the same argument
	//	-u:  user:secret, in the next argument or the rest of the same argument
	//	-U%  user%secret, as for -u:
	//	-u,  user,secret, as for -u:
	//	-u=  user=secret, as for -u:
	//	-S<  standard input
	//	-h.  nowhere: the option has an argument without a secret
	options string
	// operands lists patterns for the arguments that are not options. A pattern is
	// a sequence of:
	//
	//	word  this word
	//	_     any argument
	//	NAME  the name of a secret
	//	@     the secret: an argument that is quoted, is the last or looks like a secret
	//	!     the secret
	//	_:@   user:secret, or user:secret@host
	//	\\    the path of a network share
	//	_/@   user/secret, or user/secret@host
	//	_/@_  user/secret@host
	//	-b    the command has the option -b
	//	<     the secret is standard input
	operands []string
}

var commands = []command{
	// Databases and caches.
	{"mysql mariadb mysqldump mysqlimport mysqlshow mysqlslap mysqlpump mysqlsh mycli", "-p*", nil},
	{"mongo mongosh mongodump mongorestore mongoexport mongoimport mongostat", "-p_", nil},
	{"mysqladmin", "-p*", []string{"password @", "_ password @", "_ _ password @"}},
	{"redis-cli valkey-cli keydb-cli redis-benchmark", "-a_ --pass_", nil},
	{"sqlcmd bcp osql isql tsql", "-P_ -P*", nil},
	{"sqlplus sqlldr expdp impdp", "", []string{"_/@"}},
	{"connect conn exp imp rman sqlcl", "", []string{"_/@_", "target _/@_"}},
	{"cqlsh beeline xtrabackup innobackupex influx", "-p_", nil},
	{"setuser", ">* <* #*", nil},
	// Archives and cryptography.
	{"zip unzip zipcloak", "-P_ -P*", nil},
	{"7z 7za 7zr 7zz rar unrar", "-p* -hp*", nil},
	{"openssl", "pass:* -k_ -K_ -passin_ -passout_ -pass_ -salt. -in. -out.", []string{"passwd @"}},
	{"signtool certutil", "/p_ -p_", nil},
	{"caddy", "--plaintext_", nil},
	{"gpg-preset-passphrase", "-P_", nil},
	{"qpdf", "", []string{"--encrypt @", "--encrypt _ @"}},
	{"pdftk", "", []string{"_ input_pw @", "_ output _ user_pw @", "_ output _ owner_pw @"}},
	// Networks, shares, remote desktops and directories.
	{"sshpass", "-p_ -p*", nil},
	{"smbclient rpcclient smbget smbcacls smbtree smbmap wmic winexe netexec crackmapexec nxc", "-U% -u: -p_", nil},
	{"snmpwalk snmpget snmpset snmpgetnext snmpbulkwalk snmpbulkget snmptable snmptrap snmpinform snmpstatus snmpdf", "-c_ -c* -A_ -X_", nil},
	{"ldapsearch ldapadd ldapmodify ldapdelete ldapmodrdn ldapcompare ldapwhoami ldapexop", "-w_ -w*", nil},
	{"ldappasswd", "-w_ -w* -s_ -a_", nil},
	{"xfreerdp xfreerdp3 wfreerdp rdesktop mstsc cmdkey runas schtasks evil-winrm ncftpget ncftpput ncftp hydra wpscan", "/p:* /pass:* /password:* /rp:* -p_", nil},
	{"ipmitool", "-P_", nil},
	{"mosquitto_pub mosquitto_sub", "-P_ --pw_", nil},
	{"lftp", "-u,", nil},
	{"curl", "-u: -U: --user: --proxy-user: -E: --cert: --pass_", nil},
	{"http https xh", "-a: --auth:", nil},
	{"net net1", "/p:* /add. /domain. /delete.", []string{`use \\ !`, "use _ _ @", "use _ _ _ @", "user _ @"}},
	{"smbpasswd", "-r. -R. -U. -D. -c. -l.", []string{"_ @"}},
	{"nmcli", "", []string{
		"wifi connect _ password @", "device wifi connect _ password @", "dev wifi connect _ password @",
		"connection modify _ NAME !", "con modify _ NAME !", "con mod _ NAME !", "c modify _ NAME !", "c mod _ NAME !"}},
	{"wpa_passphrase", "", []string{"_ @"}},
	{"wpa_cli", "-i. -p.", []string{"set_network _ psk !", "set_network _ password !"}},
	{"iwconfig", "", []string{"_ key !"}},
	{"networksetup", "", []string{"-s _ _ @"}},
	{"radtest", "-t. -P.", []string{"_ !", "_ _ _ _ @"}},
	{"radclient", "-f. -r. -t. -n.", []string{"_ _ @"}},
	{"plink pscp psftp putty kitty", "-pw_", nil},
	{"psexec wmiexec smbexec atexec dcomexec secretsdump mssqlclient getuserspns lookupsid", "-p_", []string{"_:@"}},
	{"winrs", "-p:* /p:*", nil},
	{"vncviewer x11vnc", "-passwd_", nil},
	// Accounts and logins.
	{"htpasswd", "", []string{"-n _ @", "-b _ _ @"}},
	{"mosquitto_passwd", "", []string{"-b _ _ @"}},
	{"useradd usermod", "-p_ --password_", nil},
	{"dscl", "", []string{"-w _ _ @", "-w _ _ _ @"}},
	{"sysadminctl", "-password_ -adminPassword_ -newPassword_ -oldPassword_", nil},
	{"security", "-p_ -w_ -P_", nil},
	{"dsadd dsmod", "-pwd_", nil},
	{"ktpass", "/pass_ -pass_", nil},
	{"kadmin addprinc cpw", "-pw_", nil},
	{"mkpasswd", "-m. -S. -R. --method. --salt. --rounds.", []string{"@"}},
	{"doveadm", "-p_", []string{"auth test _ @", "auth login _ @"}},
	{"testsaslauthd saslauthd", "-p_", nil},
	{"ejabberdctl prosodyctl", "", []string{"register _ _ !", "change_password _ _ !"}},
	{"grafana-cli grafana", "--homepath. --config.", []string{"admin reset-admin-password @", "cli admin reset-admin-password @"}},
	{"ngrok", "", []string{"authtoken @", "config add-authtoken @", "config add-api-key @"}},
	{"snyk", "", []string{"auth @"}},
	{"cf", "-p_ -a. -u. -o. -s.", []string{"auth _ @"}},
	{"etcdctl", "--user:", []string{"user add _:@"}},
	{"b2", "", []string{"authorize-account _ @", "account authorize _ @"}},
	{"drush", "", []string{"user:password _ @", "user-password _ @", "upwd _ @"}},
	{"login", "-p_ -p* --password-stdin< --with-token<", nil},
	{"skopeo buildah crane", "--creds: --src-creds: --dest-creds:", nil},
	{"vault", "", []string{"login @", "operator unseal @"}},
	{"cargo", "", []string{"login @"}},
	{"rclone", "", []string{"obscure @", "config password _ _ @"}},
	{"nuget dotnet", "-k_ -ApiKey_", []string{"setApiKey @", "user-secrets set NAME !"}},
	{"twine", "-p_", nil},
	{"mc", "", []string{"alias set _ _ _ @"}},
	{"rabbitmqctl", "", []string{"add_user _ @", "change_password _ @", "authenticate_user _ @"}},
	{"sudo su", "-S< --stdin<", nil},
	{"passwd", "--stdin<", nil},
	{"chpasswd", "", []string{"<"}},
	// Settings.
	{"setx setenv putenv set export", "", []string{"NAME @", "/m NAME @"}},
	{"aws npm yarn pnpm git poetry composer conda gcloud heroku flyctl pulumi wrangler bundle pip", "", []string{
		"configure set NAME @", "config set NAME @", "config NAME @", "set NAME @", "secrets set NAME @"}},
	{"kubectl oc", "--from-literal=", nil},
	{"echo printf", "", nil},
}

// mostOperands is how many operands of a command are read.
const mostOperands = 6

// option is an element of command.options.
type option struct {
	flag string
	form byte
}

// operandForm is an element of command.operands.
type operandForm struct {
	letter byte // option that the command must have, or 0
	words  []string
}

// program is a parsed command.
type program struct {
	options  []option
	operands []operandForm
	echo     bool // echo or printf
	glued    bool // -p has the secret in the same word: -psecret
}

// programs maps names to programs.
var programs = func() map[string]*program {
	m := map[string]*program{}
	for _, c := range commands {
		p := &program{}
		for o := range strings.FieldsSeq(c.options) {
			p.options = append(p.options, option{o[:len(o)-1], o[len(o)-1]})
		}
		for _, text := range c.operands {
			f := operandForm{words: strings.Fields(text)}
			if w := f.words[0]; len(w) == 2 && w[0] == '-' {
				f.letter, f.words = w[1], f.words[1:]
			}
			p.operands = append(p.operands, f)
		}
		p.glued = strings.Contains(c.options, "-p*") && !strings.Contains(c.options, "-p_")
		for n := range strings.FieldsSeq(c.names) {
			p.echo = p.echo || n == "echo" || n == "printf"
			m[n] = p
		}
	}
	return m
}()
