import { realpathSync } from 'node:fs';
import { dirname } from 'node:path';
import { fileURLToPath } from 'node:url';
import { init } from 'license-checker-rseidelsohn';

/**
 * `node scripts/licences.mjs`: every package that is installed, for running or for developing, must
 * carry a licence of the list, or be an exception with its reason. Exits with 1 and a line for each
 * that does not.
 */

/** Licences that ask for no more than their text to be kept, or for nothing. */
const ALLOWED = new Set([
  '0BSD',
  'Apache-2.0',
  'BlueOak-1.0.0',
  'BSD-2-Clause',
  'BSD-3-Clause',
  'CC0-1.0',
  'ISC',
  'MIT',
  'MIT-0',
  'PSF-2.0',
  'Python-2.0',
  'Unlicense',
  'Zlib',
]);

/** Packages with another licence. The server runs and hands out none of them. */
const EXCEPTIONS = [
  {
    packages: /^lightningcss(-[a-z0-9-]+)?$/,
    licence: 'MPL-2.0',
    reason: 'comes with vitest; used unchanged, in tests only',
  },
  {
    packages: /^elkjs$/,
    licence: 'EPL-2.0',
    reason: "comes with the prisma command's studio, which nothing here starts; used unchanged",
  },
  {
    packages: /^spdx-(exceptions|ranges)$/,
    licence: 'CC-BY-3.0',
    reason: 'lists of licence names that the licence check reads; not passed on',
  },
  {
    packages: /^@cspell\/dict-django$/,
    licence: 'WTFPL',
    reason: 'a list of words that comes with the spelling check; not passed on',
  },
  {
    packages: /^caniuse-lite$/,
    licence: 'CC-BY-4.0',
    reason: 'data of browsers that comes with Babel, which builds an example; not passed on',
  },
  {
    packages: /^world-countries$/,
    licence: 'ODbL-1.0',
    reason: "the tutorial's data, loaded by a test; not passed on",
  },
];

/**
 * True where one may use a package under an SPDX expression: of "A OR B" one side, of "A AND B"
 * both. A "*" behind a name says that it was told from the text of the licence file.
 */
export function isAllowed(expression, allowed) {
  const tokens = expression.match(/\(|\)|[^\s()]+/g) ?? [];
  let at = 0;
  const list = (operator, operand) => {
    const values = [operand()];
    while (tokens[at]?.toUpperCase() === operator) {
      at += 1;
      values.push(operand());
    }
    return values;
  };
  const either = () => list('OR', both).includes(true);
  const both = () => !list('AND', one).includes(false);
  const one = () => {
    const token = tokens[at] ?? '';
    at += 1;
    if (token !== '(') return allowed(token.replace(/\*$/, ''));
    const value = either();
    // The bracket that closes.
    at += 1;
    return value;
  };
  const result = either();
  return result && at === tokens.length;
}

/** True where a package may be used: `licences` is one expression or several that all apply. */
export function mayUse(name, licences) {
  const exception = EXCEPTIONS.find(({ packages }) => packages.test(name));
  const allowed = (licence) => ALLOWED.has(licence) || licence === exception?.licence;
  const expressions = [licences].flat();
  return expressions.length > 0 && expressions.every((text) => isAllowed(String(text), allowed));
}

function installed(root) {
  return new Promise((resolve, reject) => {
    init({ start: root, excludePrivatePackages: true }, (error, packages) => {
      if (error) reject(error);
      else resolve(packages);
    });
  });
}

async function main() {
  const root = dirname(dirname(fileURLToPath(import.meta.url)));
  const packages = Object.entries(await installed(root));
  const refused = packages.filter(
    ([id, { licenses }]) => !mayUse(id.slice(0, id.lastIndexOf('@')), licenses),
  );
  for (const [id, { licenses }] of refused) {
    process.stderr.write(
      `${id}: its licence ${licenses} is not on the list in scripts/licences.mjs\n`,
    );
  }
  process.stdout.write(`${packages.length} packages, ${refused.length} refused\n`);
  return refused.length === 0 ? 0 : 1;
}

const started = process.argv[1];
if (started !== undefined && realpathSync(started) === fileURLToPath(import.meta.url)) {
  process.exitCode = await main();
}
