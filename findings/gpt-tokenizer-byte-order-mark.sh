#!/usr/bin/env bash
# gpt-tokenizer 4.0.0 counts a byte order mark (U+FEFF) differently than tiktoken 1.0.22, the reference for the same
# encodings. Source files of C# and files from Windows begin with one, and exports of spreadsheets do.
#
# Expected: the same tokens from both, and decoding gives back what was encoded.
# Seen: five tokens instead of three for "U+FEFF using System;", in o200k_base and in cl100k_base, and in o200k_base
# decoding loses the mark, so that the text comes back one character shorter. Without the mark both agree.
set -euo pipefail
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cd "$folder"
npm init --yes > /dev/null
npm install --silent --no-audit --no-fund gpt-tokenizer@4.0.0 tiktoken@1.0.22
cat > count.mjs <<'SCRIPT'
import { get_encoding as reference } from 'tiktoken'
for (const name of ['o200k_base', 'cl100k_base']) {
  const { encode, decode } = await import(`gpt-tokenizer/encoding/${name}`)
  for (const text of ['using System;', '\uFEFFusing System;']) {
    const tokens = encode(text)
    const mark = text.length === 13 ? 'without' : 'with'
    console.log(`${name} ${mark} mark: ${tokens.length}, reference ${reference(name).encode(text).length}, `
      + `decoded ${decode(tokens).length} of ${text.length} characters`)
  }
}
SCRIPT
node count.mjs | tee seen.txt
diff seen.txt - <<'EXPECTED'
o200k_base without mark: 3, reference 3, decoded 13 of 13 characters
o200k_base with mark: 5, reference 3, decoded 13 of 14 characters
cl100k_base without mark: 3, reference 3, decoded 13 of 13 characters
cl100k_base with mark: 5, reference 3, decoded 14 of 14 characters
EXPECTED
echo 'As when it was found.'
