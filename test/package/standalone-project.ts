import type { ChildProcess } from 'node:child_process';
import { afterAll, beforeAll, expect } from 'vitest';
import { BLOB, Client, CORE } from '../support/client.js';
import { within } from '../support/poll.js';
import { freePort } from '../support/postgresql-cluster.js';
import { commandOf, environmentOf, oneValueOf, readDockerfile, valuesOf } from './dockerfile.js';
import { Jail } from './jail.js';
import { emptyFolder, install, packOnce, tool, write } from './pack.js';

/** A team's project with hook files, and the folder that is built from it, which runs in a jail. */

const INVOICES = 'urn:example:invoices';

const [buildStage = [], runStage = []] = readDockerfile();

export { runStage };

/** `node server.mjs`, without `node`. */
export const SERVE: readonly string[] = commandOf(oneValueOf(runStage, 'CMD')).slice(1);

type Variables = Readonly<Record<string, string>>;

export interface Served {
  readonly url: string;
  stop(): Promise<number | null>;
}

export interface Operator {
  readonly accountId: string;
  readonly client: Client;
  /** Runs a tool of the operator, which must succeed: what it printed. */
  operate(...args: string[]): Promise<string>;
}

export class Standalone {
  readonly jail: Jail = new Jail();
  /** Where the folder is on this machine. */
  readonly app: string = this.jail.outside('/app');
  /** The project's root. */
  root = '';
  env: Variables = {};

  /** The command of the Dockerfile, with its folder in the jail and more arguments. */
  buildArgs(...more: string[]): string[] {
    const command = valuesOf(buildStage, 'RUN').find((text) => text.startsWith('npx jmapsmith '));
    const [, , ...args] = command?.split(' ') ?? [];
    expect(args).toContain('/app');
    return [...args.map((each) => (each === '/app' ? this.app : each)), ...more];
  }

  async serve(more: Variables = {}): Promise<Served> {
    const child = this.jail.start(SERVE, { ...this.env, ...more });
    const output: string[] = [];
    for (const stream of [child.stdout, child.stderr])
      stream?.setEncoding('utf8').on('data', (text: string) => output.push(text));
    const exited = new Promise<number | null>((resolve) => child.once('exit', resolve));
    const url = await within('The line with the URL', firstUrl(child, output), 120_000);
    return {
      url,
      stop: () => {
        child.kill('SIGTERM');
        return within('The end of the server', exited, 60_000);
      },
    };
  }

  /** An account and a client of its own, made by the operator's tools in the jail. */
  async makeOperator(url: string, more: Variables = {}): Promise<Operator> {
    const operate = async (...args: string[]): Promise<string> => {
      const { code, stdout, stderr } = await this.jail.run([...SERVE, ...args], {
        ...this.env,
        ...more,
      });
      expect([code, stderr]).toEqual([0, '']);
      return stdout.trim();
    };
    const accountId = await operate('account', 'create', '--name', 'Ours', '--user', 'u1');
    const token = await operate('token', 'create', '--user', 'u1');
    return { accountId, client: new Client(url, token, [CORE, BLOB, INVOICES]), operate };
  }
}

/** Makes the project before the tests of a file, and removes it and the jail after them. */
export function useStandalone(): Standalone {
  const standalone = new Standalone();
  let remove = async (): Promise<void> => undefined;
  beforeAll(async () => {
    const project = await emptyFolder();
    remove = project.remove;
    standalone.root = project.root;
    await install((await packOnce()).tarball, project.root);
    await tool(project.root, ['new', 'Invoice']);
    await writeHooks(project.root);
    await tool(project.root, ['generate']);
    const port = String(await freePort());
    standalone.env = { ...environmentOf(runStage), HOST: '127.0.0.1', PORT: port };
  }, 600_000);
  afterAll(async () => {
    standalone.jail.remove();
    await remove();
  });
  return standalone;
}

/** The answer of `tryHooks` where the hook file finds its packages, and errors name its lines. */
export const REFUSED_BY_HOOK = 'one two binary text, invoices.hooks.ts:9';

/** Creates an invoice, and returns what the hook says to a change of it. */
export async function tryHooks({ client, accountId }: Operator): Promise<unknown> {
  const { created } = await client.set('Invoice', { accountId, create: { k: { name: 'Paper' } } });
  const id = String(created?.['k']?.['id']);
  const update = { [id]: { name: 'Ink' } };
  const { notUpdated } = await client.set('Invoice', { accountId, update });
  return notUpdated?.[id]?.['description'];
}

function firstUrl(child: ChildProcess, output: readonly string[]): Promise<string> {
  return new Promise((resolve, reject) => {
    child.stdout?.on('data', () => {
      const [, url] = /^jmapsmith listens on (\S+)/m.exec(output.join('')) ?? [];
      if (url !== undefined) resolve(url);
    });
    child.once('exit', (code) =>
      reject(new Error(`The server ended with ${code}: ${output.join('')}`)),
    );
  });
}

/**
 * Writes a hook file with packages of the team. `rates` reads a file of its own and loads an
 * optional package by a computed name, and two versions of `words` are installed.
 */
async function writeHooks(root: string): Promise<void> {
  const packages = {
    words: { main: "export const words = 'one';" },
    rates: {
      main: `import { createRequire } from 'node:module';
        import { readFileSync } from 'node:fs';
        import { words } from 'words';
        const platform = createRequire(import.meta.url)('rates-' + ['any', 'where'].join(''));
        const text = readFileSync(new URL('text.txt', import.meta.url), 'utf8').trim();
        export const rates = [words, platform, text].join(' ');`,
      manifest: { dependencies: { words: '2' }, optionalDependencies: { 'rates-anywhere': '1' } },
    },
    'rates/node_modules/words': { main: "export const words = 'two';" },
    'rates-anywhere': { main: "module.exports = 'binary';", manifest: { type: 'commonjs' } },
    unused: { main: 'export {};' },
  };
  for (const [name, { main, manifest = {} }] of Object.entries<{
    main: string;
    manifest?: object;
  }>(packages)) {
    const folder = `node_modules/${name}`;
    const base = {
      name: name.split('/').at(-1),
      version: '1.0.0',
      type: 'module',
      main: 'index.js',
    };
    await write(root, `${folder}/index.js`, main);
    await write(root, `${folder}/index.d.ts`, 'export const words: string, rates: string;');
    await write(root, `${folder}/package.json`, JSON.stringify({ ...base, ...manifest }));
  }
  await write(root, 'node_modules/rates/text.txt', 'text\n');
  await write(
    root,
    'capabilities/invoices.hooks.ts',
    `import { rates } from 'rates';
import { words } from 'words';
import type { Hooks } from '../generated/invoices/hooks.js';

export const hooks = {
  types: {
    Invoice: {
      check(changes) {
        const place = /\\w+\\.hooks\\.ts:\\d+/.exec(String(new Error().stack))?.[0];
        const description = \`\${words} \${rates}, \${place}\`;
        for (const { before, refuse } of changes)
          if (before !== null) refuse({ type: 'forbidden', description });
      },
    },
  },
} satisfies Hooks;
`,
  );
}
