import { dirname } from 'node:path';
import { fileURLToPath } from 'node:url';
import { CLIENT, CONFORM } from './build-layout.mjs';
import { build, buildClients } from './build-project.mjs';
import { reportFailure } from './build-tools.mjs';

const HELP = `Usage: npm run build [-- --clients | --conform | --client]

Builds what is not current: the Prisma clients (build/prisma), then the program (dist).

  --clients  the Prisma clients alone: what the type check and the tests need of it
  --conform  the conformance runner alone, to conform/dist
  --client   the typed client alone, to client/dist`;

const BUILDS = {
  '--clients': buildClients,
  '--conform': (root) => build(root, CONFORM),
  '--client': (root) => build(root, CLIENT),
};

async function main(argv) {
  if (argv.includes('--help') || argv.includes('-h')) {
    process.stdout.write(`${HELP}\n`);
    return 0;
  }
  const unknown = argv.find((argument) => !Object.hasOwn(BUILDS, argument));
  if (unknown !== undefined) {
    process.stderr.write(`build: unknown argument ${unknown} (--help shows what there is.)\n`);
    return 2;
  }
  const root = dirname(dirname(fileURLToPath(import.meta.url)));
  try {
    if (argv.length === 0) await build(root);
    for (const argument of new Set(argv)) await BUILDS[argument](root);
    return 0;
  } catch (error) {
    return reportFailure(error);
  }
}

process.exitCode = await main(process.argv.slice(2));
