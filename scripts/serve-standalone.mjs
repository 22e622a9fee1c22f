import { existsSync, readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { listTools, SERVER_TOOLS } from './server-tools.mjs';

/**
 * `node server.mjs [TOOL [ARGUMENT...]]` in a folder that `jmapsmith build --standalone` wrote:
 * serves, or runs a tool of the operator, in this very process.
 */

const HELP = `Usage: node server.mjs [TOOL [ARGUMENT...]]

Without a tool: migrates the database and serves, until SIGTERM or Ctrl-C. Environment variables say
where and how; relative paths of theirs begin at the current folder. The tools:

${listTools(SERVER_TOOLS)}

node server.mjs TOOL --help tells more of each; --version tells which jmapsmith this is.
Exit codes: 0 fine, 1 something refuses the start (a port, a lock, a migration), 2 the input is
wrong, 70 a defect of ours.`;

const EXIT = { fine: 0, input: 2 };

const PACKAGE = new URL('../', import.meta.url);
const STANDALONE = new URL('../../', PACKAGE);

const [name, ...args] = process.argv.slice(2);
process.exitCode = (await main()) ?? process.exitCode;

async function main() {
  if (name === '--help' || name === '-h') return print(HELP);
  const marker = new URL('standalone.json', STANDALONE);
  if (!existsSync(marker))
    return complain(
      `${fileURLToPath(marker)} is missing: copy the whole folder, or build it again.`,
    );
  const { version, builtFor, node, driver } = JSON.parse(readFileSync(marker, 'utf8'));
  if (name === '--version' || name === '-v') return print(version);
  const here = `${process.platform}-${process.arch}`;
  if (builtFor !== here)
    return complain(
      `this folder was built on ${builtFor}, and this machine is ${here}: ` +
        'run npx jmapsmith build --standalone DIR on a machine of that kind.',
    );
  // A server on PostgreSQL needs no driver of SQLite.
  if (!process.env.DATABASE_URL?.startsWith('postgres') && driver !== (await driverHere()))
    return complain(
      `this folder was built on Node ${node}, and its SQLite driver does not run on Node ` +
        `${process.versions.node}: start it with Node ${node}, or run npx jmapsmith build ` +
        `--standalone DIR on Node ${process.versions.node}.`,
    );
  if (name === undefined) return run('src/server/main');
  if (Object.hasOwn(SERVER_TOOLS, name)) return run(SERVER_TOOLS[name].entry);
  const names = Object.keys(SERVER_TOOLS).join(', ');
  return complain(`there is no tool ${JSON.stringify(name)}. There are: ${names}.`);
}

async function driverHere() {
  const module = new URL('dist/src/database/sqlite/driver.js', PACKAGE);
  const { driverBinary } = await import(module.href);
  return driverBinary(process.versions);
}

async function run(entry) {
  const module = new URL(`dist/${entry}.js`, PACKAGE);
  process.argv = [process.argv[0], fileURLToPath(module), ...args];
  await import(module.href);
  return undefined;
}

function print(text) {
  process.stdout.write(`${text}\n`);
  return EXIT.fine;
}

function complain(text) {
  process.stderr.write(`jmapsmith: ${text}\n`);
  return EXIT.input;
}
