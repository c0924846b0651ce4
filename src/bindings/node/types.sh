#!/bin/sh
# SPDX-License-Identifier: MIT
# types.sh MADE NPM TVGP_JSON: tsc --strict checks a program that calls every function against the declarations here and functions.d.ts
# in MADE. NPM: the folder whose node_modules has typescript and @types/node; exits with 77 where they are not.
set -eu
here=$(cd "$(dirname "$0")" && pwd)
made=$(cd "$1" && pwd) abi=$(cd "$(dirname "$3")" && pwd)/$(basename "$3")
[ -x "$2/node_modules/.bin/tsc" ] || { echo "skipped: tsc is not installed (npm install --prefix build/npm typescript @types/node)" && exit 77; }
npm=$(cd "$2" && pwd)
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
mkdir -p "$work/node_modules/tvgp"
cp "$here/package.json" "$here"/index.d.* "$made/functions.d.ts" "$work/node_modules/tvgp"
ln -s "$npm/node_modules/@types" "$work/node_modules/@types"
python3 -B "$here/../every/every.py" "$abi" node >"$work/game.js"
sed "s/require(process.env.TVGP_PACKAGE)/require('tvgp')/" "$work/game.js" >"$work/every.js"
cat >"$work/classes.ts" <<'END'
import tvgp, { Policy, Query, TvgpError, box, grid, product, se } from 'tvgp';
const policy: Policy = new Policy('tv-gp-ucb', grid([0, 0], [1, 1], [5, 5]), se([0.2, 0.3]), { noise: 0.01, 'switch.cost': 0.1 });
const query: Query | null = policy.ask(1);
const queries: Query[] = policy.ask(2, 3);
if (query) policy.tell(query, 0.5, { noiseVar: 0.1 });
policy.tell(queries[0].id, undefined, { outcome: 'failed' });
const { mean, variance } = policy.predict(3, [[0.1, 0.2]]);
const sum: number = mean[0] + variance[0] + policy.best(3).x[0] + policy.stat('clock');
const again: Policy = Policy.restore(policy.save(true));
const error: TvgpError = new TvgpError();
console.log(sum, again.name, error.code, product(box(0, 1), grid(0, 1, 3)).dim, tvgp.version);
// @ts-expect-error the domain is missing
new Policy('tv-gp-ucb');
// @ts-expect-error no such outcome
policy.tell(1, undefined, { outcome: 'lost' });
// @ts-expect-error a text is not a time
tvgp.c.policy_best(policy, 'now');
END
options="--noEmit --strict --target es2022 --module nodenext --moduleResolution nodenext --skipLibCheck false --types node --esModuleInterop"
# shellcheck disable=SC2086 # options are words
(cd "$work" && "$npm/node_modules/.bin/tsc" $options --allowJs --checkJs --noImplicitAny false every.js && echo '{"type": "module"}' >package.json &&
    "$npm/node_modules/.bin/tsc" $options classes.ts)
functions=$(grep -oE '\bc\.[a-z_0-9]+' "$work/every.js" | sort -u | wc -l)
[ "$functions" -gt 100 ]
echo "tsc --strict: $functions functions and the classes"
