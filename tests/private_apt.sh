# SPDX-License-Identifier: MIT
#
# Sourced by what downloads packages of another release or architecture of Debian, or of
# Ubuntu 24.04 (noble): an apt with lists, settings and a cache of its own. The machine's stay
# as they are. Packages come from TW_DEBIAN_MIRROR or TW_UBUNTU_MIRROR, else from the mirror of
# this machine's apt.

# codename: prints that of this machine's release
codename()
{
	sed -n 's/^VERSION_CODENAME=//p' /etc/os-release 2>/dev/null
}

# mirror VENDOR: prints where this machine's apt gets that vendor's packages, or nothing
mirror()
{
	# shellcheck disable=SC2016	# apt's
	apt-get indextargets --format '$(ORIGIN) $(LABEL) $(REPO_URI)' \
		'Created-By: Packages' 2>/dev/null |
		awk -v vendor="$1" '$1 == vendor && $2 == vendor { print $3; exit }'
}

# private_apt DIRECTORY SUITE ARCHITECTURE: exports APT_CONFIG; false with the reason in
# $no_apt
private_apt()
{
	vendor=Debian from=${TW_DEBIAN_MIRROR:-$(mirror Debian)}
	[ "$2" != noble ] || vendor=Ubuntu from=${TW_UBUNTU_MIRROR:-$(mirror Ubuntu)}
	keys=/usr/share/keyrings/$(echo $vendor | tr DU du)-archive-keyring.gpg
	no_apt="no $keys to check $vendor's packages with"
	[ -f "$keys" ] || return 1
	no_apt="apt has no mirror of $vendor (TW_$(echo $vendor | tr a-z A-Z)_MIRROR=)"
	[ -n "$from" ] || return 1
	mkdir -p "$1/lists/partial" "$1/cache/archives/partial"
	: >"$1/status"
	for type in deb deb-src; do
		echo "$type [arch=$3 signed-by=$keys] $from $2 main"
	done >"$1/sources.list"
	cat >"$1/conf" <<END
APT::Architecture "$3";
APT::Architectures { "$3"; };
Acquire::Languages "none";
Debug::NoLocking "1";
Dir::Etc::SourceList "$1/sources.list";
Dir::Etc::SourceParts "-";
Dir::State::Lists "$1/lists";
Dir::State::Status "$1/status";
Dir::Cache "$1/cache";
END
	APT_CONFIG=$1/conf
	export APT_CONFIG
}
