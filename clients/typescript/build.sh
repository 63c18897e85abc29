#!/bin/sh
# build.sh TOOLS FOLDER : packs the client in an empty folder, its types made from the document that `pcs openapi` writes.
# TOOLS is a node_modules with openapi-typescript and typescript; prints where the package is.
set -eu
here=$(cd "$(dirname "$0")" && pwd)
root=$here/../..
mkdir -p "$2"
cp -R "$here/package.json" "$here/tsconfig.json" "$here/README.md" "$here/LICENSE" "$here/src" "$2"
ln -sfn "$1" "$2/node_modules"
"$root/.venv/bin/pcs" openapi > "$2/openapi.json"
cd "$2"
npm pack --silent
