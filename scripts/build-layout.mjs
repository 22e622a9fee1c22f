import { existsSync, readFileSync, realpathSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';

/** The folder of this package: its own repository, or below a team's node_modules. */
export const PACKAGE = dirname(dirname(fileURLToPath(import.meta.url)));

const SCHEMAS = { at: 'prisma', counts: /^prisma\/[^/]+\/schema\.prisma$/ };
/** Without the typed client, which applications compile. */
const GENERATED = { at: 'generated', counts: /^generated\/(?!client\/).*\.ts$/ };
const DESCRIPTORS = { at: 'capabilities', counts: /^capabilities\/[^/]+[.](?:yaml|yml|json)$/i };
const HOOKS = { at: 'capabilities', counts: /^capabilities\/[^/]+[.]hooks[.]ts$/ };
const EVOLVE = { at: 'evolve', counts: /^evolve\/\d{4}-[^/]+[.]ts$/ };

/**
 * The places that a build reads and writes, relative to the project's folder. An input is a folder
 * with the files that count in it, or a file. Tools that are plain JavaScript run as they are and
 * are no input.
 */

/** This repository: the engine and its own project in one. */
export const REPOSITORY = {
  out: 'dist',
  config: 'tsconfig.build.json',
  inputs: [
    { at: 'src', counts: /\.ts$/ },
    GENERATED,
    HOOKS,
    { at: 'scripts', counts: /\.ts$/ },
    SCHEMAS,
    { at: 'tsconfig.json' },
    { at: 'tsconfig.build.json' },
    { at: 'package-lock.json' },
  ],
  /** Anything else that decides the output, as a text. */
  version: () => '',
};

/** The conformance runner, a package of this repository that takes modules of the server along. */
export const CONFORM = {
  out: 'conform/dist',
  config: 'conform/tsconfig.json',
  inputs: [
    { at: 'conform/src', counts: /\.ts$/ },
    { at: 'src', counts: /\.ts$/ },
    { at: 'tsconfig.json' },
    { at: 'conform/tsconfig.json' },
    { at: 'package-lock.json' },
  ],
  version: () => '',
};

/** The typed client, a package of this repository that takes modules of the server along. */
export const CLIENT = {
  out: 'client/dist',
  config: 'client/tsconfig.build.json',
  inputs: [
    { at: 'client/src', counts: /\.ts$/ },
    { at: 'src', counts: /^src\/(?:protocol|runtime|text)\/.*\.ts$/ },
    { at: 'tsconfig.json' },
    { at: 'client/tsconfig.json' },
    { at: 'client/tsconfig.build.json' },
    { at: 'package-lock.json' },
  ],
  version: () => '',
};

/**
 * A team's project, in which the engine is a package. The team's files are compiled to a folder
 * that nobody else has, since `dist` may be the team's own.
 */
export const TEAM = {
  out: 'build/server',
  config: 'build/tsconfig.json',
  // Descriptors too: a build finds out that they were not generated.
  inputs: [GENERATED, HOOKS, EVOLVE, DESCRIPTORS, SCHEMAS, { at: 'tsconfig.json' }],
  version: () => readFileSync(join(PACKAGE, 'package.json'), 'utf8'),
};

/** The layout of a project, by where it lies. */
export function layoutOf(root) {
  const own = existsSync(root) && realpathSync(root) === realpathSync(PACKAGE);
  return own ? REPOSITORY : TEAM;
}
