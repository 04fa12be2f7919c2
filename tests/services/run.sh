#!/usr/bin/env bash
# Installs what the tests of services need (Debian, as root) and runs them: PostgreSQL, LibreOffice, a Dask cluster.
set -euo pipefail
cd "$(dirname "$0")/../.."
python=${1:?"usage: tests/services/run.sh PYTHON"}

if [ ! -e /etc/debian_version ] || [ "$(id -u)" -ne 0 ]; then
  echo "test-services installs PostgreSQL and LibreOffice with apt-get, as root on Debian or Ubuntu: passed over here"
  exit 0
fi

missing=()
compgen -G '/usr/lib/postgresql/*/bin/initdb' >/dev/null || missing+=(postgresql)
command -v soffice >/dev/null || missing+=(libreoffice-calc)
if [ ${#missing[@]} -gt 0 ]; then
  echo "installing ${missing[*]}"
  apt-get update -qq
  DEBIAN_FRONTEND=noninteractive apt-get install -y -qq --no-install-recommends "${missing[@]}" >/dev/null
fi
"$python" -m pip install --quiet --disable-pip-version-check -e '.[cluster,postgres]'
GIGSHEET_SERVICES=1 exec "$python" -m pytest tests/services
