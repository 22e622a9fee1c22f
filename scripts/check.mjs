import { delimiter, dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { runChild, withChildren } from './children.mjs';

const HELP = `Usage: npm run check

Everything that CI checks short of the tests, each with a line and its seconds; what failed is shown
in full, and named again at the end:

  clients       the Prisma client is built (node scripts/build.mjs --clients)
  generated     generated/ and prisma/ are current, and the descriptors give no warning
                (npm run generate)
  types         tsc
  browser       tsc for the client, examples/clients and bench/client/programs, which have the
                types of browsers
  style         lint and format (biome; npm run format mends most)
  prose         sentences of Markdown pages, comments and messages, by the rules in
                scripts/prose/rules.mjs (scripts/check-prose.mjs)
  spelling      British spelling (cspell); a new word of the project is a line of
                scripts/prose/words.txt
  widths        no line of code, comments and strings is over 100 columns
                (scripts/check-widths.mjs)
  arrows        which folder imports which (.dependency-cruiser.cjs)
  conformance   docs/reference/conformance.md is what the ledger says (conform/ledger)
  lock          the lock file tells npm 10 what not to compile (scripts/check-lock.mjs)
  licences      licences of all packages (scripts/licences.mjs)
  packages      what npm would publish of each workspace (scripts/check-packages.mjs)

Exit codes: 0 all is well, 1 something failed.`;

/** Names to shell commands, in an order in which a later one may need an earlier one's work. */
const CHECKS = [
  ['clients', 'node scripts/build.mjs --clients'],
  ['generated', 'npm run -s generate -- --check --max-warnings 0'],
  // The compiler skips files that have not changed since the last run: 5 s of processor time, not
  // 24.
  ['types', 'tsc --noEmit --pretty false --incremental --tsBuildInfoFile build/types.tsbuildinfo'],
  [
    'browser',
    'tsc -p client --pretty false && tsc -p client/test --pretty false && ' +
      'tsc -p examples/clients --pretty false && tsc -p bench/client/programs --pretty false',
  ],
  ['style', 'biome check --colors=off --error-on-warnings .'],
  ['prose', 'node scripts/check-prose.mjs'],
  [
    'spelling',
    'cspell lint --no-progress --no-summary --show-suggestions --relative --cache ' +
      '--cache-strategy content --cache-location build/spelling.json',
  ],
  ['widths', 'node scripts/check-widths.mjs'],
  [
    'arrows',
    'depcruise --config .dependency-cruiser.cjs --output-type err-long src generated ' +
      'capabilities scripts conform/src client/src',
  ],
  ['conformance', 'node --import tsx/esm conform/ledger/write.ts --check'],
  ['lock', 'node scripts/check-lock.mjs'],
  ['licences', 'node scripts/licences.mjs'],
  ['packages', 'node scripts/check-packages.mjs'],
];

const root = dirname(dirname(fileURLToPath(import.meta.url)));

/**
 * Runs one command with the project's tools in its path; resolves to its exit code and all it
 * wrote.
 */
function run(command) {
  const path = [join(root, 'node_modules', '.bin'), process.env.PATH ?? ''].join(delimiter);
  return runChild(command, [], {
    cwd: root,
    env: { ...process.env, PATH: path, NO_COLOR: '1' },
    shell: true,
  });
}

async function main(argv) {
  if (argv.includes('--help') || argv.includes('-h')) {
    process.stdout.write(`${HELP}\n`);
    return 0;
  }
  if (argv.length > 0) {
    process.stderr.write(`check: takes no argument such as ${argv[0]} (--help tells more).\n`);
    return 2;
  }
  const failed = [];
  for (const [name, command] of CHECKS) {
    const began = performance.now();
    const { code, output } = await run(command);
    const seconds = ((performance.now() - began) / 1000).toFixed(1);
    process.stdout.write(
      `${code === 0 ? 'ok    ' : 'FAILED'}  ${name.padEnd(11)} ${seconds.padStart(6)} s\n`,
    );
    if (code === 0) continue;
    failed.push(name);
    process.stderr.write(`\n$ ${command}\n${output}\n\n`);
  }
  if (failed.length === 0) return 0;
  process.stderr.write(`check: failed: ${failed.join(', ')}\n`);
  return 1;
}

process.exitCode = await withChildren(() => main(process.argv.slice(2)));
