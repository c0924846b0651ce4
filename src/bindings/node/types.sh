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
cp "$here/package.json" "$here"/index.d.* "$here/openfeature.d.ts" "$made/functions.d.ts" "$work/node_modules/tvgp"
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
flags=
if [ -d "$npm/node_modules/@openfeature/server-sdk" ]; then
    ln -s "$npm/node_modules/@openfeature" "$work/node_modules/@openfeature"
    flags=flags.ts
    cat >"$work/flags.ts" <<'END'
import { OpenFeature } from '@openfeature/server-sdk';
import { TvgpProvider, TvgpFlag, TvgpRedisClient } from 'tvgp/openfeature';
const button: TvgpFlag = { variants: { red: '#c00', green: '#0a0' }, events: ['purchase'], options: { 'pending.timeout': 60 } };
const provider = new TvgpProvider({ button, size: { variants: { s: 1, l: 2 }, assignment: 'shares', refresh: 5, floor: 0.1 } }, { file: 'flags.jsonl' });
declare const connected: TvgpRedisClient;
const shared = new TvgpProvider({ button }, { redis: connected, prefix: 'shop:', expire: 60, onError: (e) => console.error(e.message) });
OpenFeature.setProvider(provider);
OpenFeature.setProvider('shared', shared);
export const closed: Promise<void> = shared.onClose();
provider.track('purchase', { targetingKey: 'u' }, { value: 1 });
// @ts-expect-error no such assignment
export const wrong: TvgpFlag = { variants: { a: 1 }, assignment: 'draw' };
// @ts-expect-error the option does not exist
new TvgpProvider({ button }, { folder: '.' });
END
fi
# shellcheck disable=SC2086 # options are words
(cd "$work" && "$npm/node_modules/.bin/tsc" $options --allowJs --checkJs --noImplicitAny false every.js && echo '{"type": "module"}' >package.json &&
    "$npm/node_modules/.bin/tsc" $options classes.ts $flags)
functions=$(grep -oE '\bc\.[a-z_0-9]+' "$work/every.js" | sort -u | wc -l)
[ "$functions" -gt 100 ]
echo "tsc --strict: $functions functions and the classes"
