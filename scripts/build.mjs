import { dirname } from 'node:path';
import { fileURLToPath } from 'node:url';
import { build, buildClients } from './build-project.mjs';
import { reportFailure } from './build-tools.mjs';

const HELP = `Usage: npm run build [-- --clients]

Builds what is not current: the Prisma clients (build/prisma), then the program (dist).

  --clients  the Prisma clients alone: what the type check and the tests need of it`;

async function main(argv) {
  if (argv.includes('--help') || argv.includes('-h')) {
    process.stdout.write(`${HELP}\n`);
    return 0;
  }
  const unknown = argv.find((argument) => argument !== '--clients');
  if (unknown !== undefined) {
    process.stderr.write(`build: unknown argument ${unknown} (--help shows what there is.)\n`);
    return 2;
  }
  const root = dirname(dirname(fileURLToPath(import.meta.url)));
  try {
    await (argv.includes('--clients') ? buildClients(root) : build(root));
    return 0;
  } catch (error) {
    return reportFailure(error);
  }
}

process.exitCode = await main(process.argv.slice(2));
