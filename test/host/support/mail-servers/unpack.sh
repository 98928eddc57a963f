#!/bin/sh
# Unpacks Exim and OpenSMTPD into /opt/mail-servers, or into $1: their packages exclude Postfix, so they cannot be installed beside it.
# So are Unbound and the tools that sign a zone, without starting a service.
# Exim is that of this machine's Debian. OpenSMTPD is that of Debian 13 with its libraries: that of Debian 12 fails each TLS handshake,
# because its version 6.8 does not work with OpenSSL 3.
set -eu
target=${1:-/opt/mail-servers}
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
mkdir -p "$work/debs" "$work/lists/partial" "$work/cache/archives/partial" "$target/exim" "$target/opensmtpd" "$target/unbound"
cd "$work/debs"

apt-get -o APT::Sandbox::User=root download exim4-daemon-light
for deb in *.deb; do dpkg -x "$deb" "$target/exim"; done
rm -f ./*.deb
apt-get -o APT::Sandbox::User=root download unbound libprotobuf-c1 ldnsutils libldns3
for deb in *.deb; do dpkg -x "$deb" "$target/unbound"; done
rm -f ./*.deb
id Debian-exim >/dev/null 2>&1 || useradd --system --no-create-home --shell /usr/sbin/nologin Debian-exim

printf 'deb [signed-by=/usr/share/keyrings/debian-archive-keyring.gpg] http://deb.debian.org/debian trixie main\n' >"$work/sources.list"
trixie="-o Dir::State=$work -o Dir::State::lists=$work/lists -o Dir::Cache=$work/cache -o Dir::Etc::sourcelist=$work/sources.list
  -o Dir::Etc::sourceparts=/dev/null -o APT::Sandbox::User=root"
# shellcheck disable=SC2086
apt-get $trixie -qq update
# shellcheck disable=SC2086
apt-get $trixie download opensmtpd libssl3t64 libtls28t64 libevent-2.1-7t64 libc6 zlib1g libzstd1 libdb5.3t64 libcrypt1 libpam0g \
  libaudit1 libcap-ng0 libbsd0 libmd0
root=$target/opensmtpd
for deb in *.deb; do dpkg -x "$deb" "$root"; done
cd "$root"
for folder in lib lib64; do [ -e "$folder" ] || ln -s "usr/$folder" "$folder"; done
mkdir -p dev tmp run var/run var/spool/smtpd var/lib/opensmtpd/empty etc/ssl/certs etc/test
chmod 711 var/lib/opensmtpd/empty
printf 'root:x:0:0::/root:/bin/sh\nopensmtpd:x:990:990::/var/lib/opensmtpd/empty:/bin/false\nopensmtpq:x:991:991::/:/bin/false\n' >etc/passwd
printf 'root:x:0:\nopensmtpd:x:990:\nopensmtpq:x:991:\n' >etc/group
printf '127.0.0.1 localhost\n' >etc/hosts
: >etc/resolv.conf
cp /etc/ssl/certs/ca-certificates.crt etc/ssl/certs/
