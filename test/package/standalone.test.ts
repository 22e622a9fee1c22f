import { type ChildProcess, execFileSync } from 'node:child_process';
import { existsSync, readdirSync } from 'node:fs';
import { readFile, rename, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { BLOB, Client, CORE } from '../support/client.js';
import { within } from '../support/poll.js';
import { usePostgresql } from '../support/postgresql.js';
import { freePort } from '../support/postgresql-cluster.js';
import { commandOf, environmentOf, oneValueOf, readDockerfile, valuesOf } from './dockerfile.js';
import { IS_READ_ONLY, JAIL, Jail } from './jail.js';
import { emptyFolder, install, jmapsmith, pack, tool, write } from './pack.js';

// A team's project is built to a folder, which then runs where nothing else is to be found. The
// tests follow each other.

const INVOICES = 'urn:example:invoices';
const MEGABYTES = 130;
const PACKAGES = 120;

const [buildStage = [], runStage = []] = readDockerfile();
/** `node server.mjs`, without `node`. */
const SERVE = commandOf(oneValueOf(runStage, 'CMD')).slice(1);

const postgresql = usePostgresql();
let project: Awaited<ReturnType<typeof emptyFolder>>;
const jail = new Jail();
const app = jail.outside('/app');
let env: Record<string, string>;

beforeAll(async () => {
  project = await emptyFolder();
  const parent = join(project.root, '..');
  await install(join(parent, (await pack(parent)).filename), project.root);
  await tool(project.root, ['new', 'Invoice']);
  await writeHooks(project.root);
  await tool(project.root, ['generate']);
  env = { ...environmentOf(runStage), HOST: '127.0.0.1', PORT: String(await freePort()) };
}, 600_000);

afterAll(async () => {
  jail.remove();
  await project.remove();
});

/**
 * A hook file with packages of the team: `rates` reads a file of its own and loads an optional
 * package by a computed name, and two versions of `words` are installed.
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
        for (const { before, refuse } of changes)
          if (before !== null) refuse({ type: 'forbidden', description: \`\${words} \${rates}\` });
      },
    },
  },
} satisfies Hooks;
`,
  );
}

/** The command of the Dockerfile, with its folder in the jail and more arguments. */
function buildArgs(...more: string[]): string[] {
  const command = valuesOf(buildStage, 'RUN').find((text) => text.startsWith('npx jmapsmith '));
  const [, , ...args] = command?.split(' ') ?? [];
  expect(args).toContain('/app');
  return [...args.map((each) => (each === '/app' ? app : each)), ...more];
}

interface Served {
  readonly url: string;
  stop(): Promise<number | null>;
}

async function serve(more: Readonly<Record<string, string>> = {}): Promise<Served> {
  const child = jail.start(SERVE, { ...env, ...more });
  const output: string[] = [];
  for (const stream of [child.stdout, child.stderr])
    stream?.setEncoding('utf8').on('data', (text: string) => output.push(text));
  const exited = new Promise<number | null>((resolve) => child.once('exit', resolve));
  const url = await within('The line with the URL', firstUrl(child, output), 60_000);
  return {
    url,
    stop: () => {
      child.kill('SIGTERM');
      return within('The end of the server', exited, 15_000);
    },
  };
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

/** An account and a client of its own, made by the operator's tools in the jail. */
async function makeClient(url: string, more: Readonly<Record<string, string>> = {}) {
  const operate = async (...args: string[]): Promise<string> => {
    const { code, stdout, stderr } = await jail.run([...SERVE, ...args], { ...env, ...more });
    expect([code, stderr]).toEqual([0, '']);
    return stdout.trim();
  };
  const accountId = await operate('account', 'create', '--name', 'Ours', '--user', 'u1');
  const token = await operate('token', 'create', '--user', 'u1');
  return { accountId, client: new Client(url, token, [CORE, BLOB, INVOICES]), operate };
}

/** Creates an invoice, and reads what the hook says to a change of it. */
async function tryHooks({ client, accountId }: Awaited<ReturnType<typeof makeClient>>) {
  const { created } = await client.set('Invoice', { accountId, create: { k: { name: 'Paper' } } });
  const id = String(created?.['k']?.['id']);
  const { notUpdated } = await client.set('Invoice', {
    accountId,
    update: { [id]: { name: 'Ink' } },
  });
  return notUpdated?.[id]?.['description'];
}

describe('build --standalone', () => {
  it('writes a small folder and tells its size', async () => {
    const told = await tool(project.root, buildArgs());
    const [, megabytes, packages] = /: (\d+) MB, (\d+) packages\. /.exec(told) ?? [];
    expect(Number(megabytes)).toBeGreaterThan(5);
    expect(Number(megabytes)).toBeLessThanOrEqual(MEGABYTES);
    expect(Number(packages)).toBeLessThanOrEqual(PACKAGES);
    expect(kilobytesOnDisk(app)).toBeLessThanOrEqual(MEGABYTES * 1000);
    expect(manifestsBelow(app)).toHaveLength(Number(packages));
  }, 600_000);

  it('leaves out the tools of development, the client of S3 and types', () => {
    for (const name of ['typescript', 'prisma', 'ts-morph', 'yaml', '@aws-sdk', 'unused'])
      expect(existsSync(join(app, 'node_modules', name)), name).toBe(false);
    const files = readdirSync(app, { recursive: true, encoding: 'utf8' });
    expect(files.filter((file) => /scripts\/generator|\.ts$|\.map$/.test(file))).toEqual([]);
  });

  it('takes along what the threads of the engine begin with', async () => {
    const engine = join(app, 'node_modules/jmapsmith');
    const files = readdirSync(engine, { recursive: true, encoding: 'utf8' });
    const begun: string[] = [];
    for (const file of files.filter((name) => name.endsWith('.js'))) {
      const text = await readFile(join(engine, file), 'utf8');
      for (const [, module = ''] of text.matchAll(/new URL\('(\.[^']+)', import\.meta\.url\)/g))
        begun.push(join(engine, file, '..', module));
    }
    expect(begun.length).toBeGreaterThan(0);
    expect(begun.filter((file) => !existsSync(file))).toEqual([]);
  });

  it('refuses a folder in which something would be lost', async () => {
    const { root } = project;
    await write(root, 'full/ours.txt', 'ours');
    const full = await jmapsmith(root, ['build', '--standalone', 'full']);
    const file = await jmapsmith(root, ['build', '--standalone', 'tsconfig.json']);
    const built = await jmapsmith(root, ['build', '--standalone', 'build/server/out']);
    const other = await jmapsmith(root, ['build', '--standalone', 'out', '--with', 'redis']);
    expect([full, file, built, other].map(({ code }) => code)).toEqual([2, 2, 2, 2]);
    expect(full.stderr).toContain('has ours.txt in it');
    expect(other.stderr).toContain('--with takes s3, not redis');
    expect(readdirSync(join(root, 'full'))).toEqual(['ours.txt']);
    expect(await tool(root, ['build', '--help'])).toContain('--standalone DIR');
  });
});

describe(`the folder in ${JAIL}`, () => {
  let served: Served;
  let made: Awaited<ReturnType<typeof makeClient>>;

  it('finds no program, no package and no file of this machine', async () => {
    const paths = [project.root, process.execPath === '/bin/node' ? '/usr/bin' : process.execPath];
    const program = `const { existsSync } = require('node:fs');
      console.log(JSON.stringify(${JSON.stringify(paths)}.map(existsSync)));`;
    const { stdout } = await jail.run(['-e', program]);
    expect(JSON.parse(stdout)).toEqual(IS_READ_ONLY ? [false, false] : [true, true]);
    const intruder = "require('node:fs').writeFileSync('/app/intruder', '')";
    if (IS_READ_ONLY) expect((await jail.run(['-e', intruder])).code).toBe(1);
  });

  it("serves by the image's command and variables, with the packages of its hook files", async () => {
    // What is read by path must be in the folder.
    const installed = join(project.root, 'node_modules');
    await rename(installed, `${installed}.away`);
    served = await serve();
    made = await makeClient(served.url);
    expect(await tryHooks(made)).toBe('one two binary text');
    await rename(`${installed}.away`, installed);
  });

  it("is healthy by the image's check while it runs", async () => {
    const [program, ...check] = commandOf(oneValueOf(runStage, 'HEALTHCHECK'));
    expect(program).toBe('node');
    expect((await jail.run(check, env)).code).toBe(0);
    expect((await jail.run(check, { ...env, PORT: String(await freePort()) })).code).toBe(1);
  });

  it('runs the tools of the operator beside the server', async () => {
    const { operate, accountId } = made;
    expect(await operate('migrate', '--status')).toMatch(/^applied 0001_init/);
    expect(await operate('account', 'list')).toContain(accountId);
    expect(await operate('backup', '/data/backup.tar')).toContain('verified');
    const elsewhere = { ...env, DATA_DIR: '/data/restored' };
    const restored = await jail.run([...SERVE, 'restore', '/data/backup.tar'], elsewhere);
    expect([restored.code, restored.stdout]).toEqual([0, expect.stringContaining('restored')]);
    expect(await operate('--help')).toContain('Usage: node server.mjs');
    expect(await operate('account', '--help')).toContain('Usage: node server.mjs account');
    const unknown = await jail.run([...SERVE, 'generate'], env);
    expect([unknown.code, unknown.stderr]).toEqual([2, expect.stringContaining('"generate"')]);
  });

  it('ends by SIGTERM with exit code 0', async () => {
    expect(await served.stop()).toBe(0);
  });

  it('serves from PostgreSQL', async () => {
    const url = await postgresql().createDatabase('standalone');
    const place = { DATABASE_URL: url.replace('localhost', '127.0.0.1') };
    served = await serve(place);
    expect(await tryHooks(await makeClient(served.url, place))).toBe('one two binary text');
    expect(await served.stop()).toBe(0);
  });

  it('says how to build with S3 where it has not', async () => {
    const { code, stderr } = await jail.run(SERVE, { ...env, BLOB_STORE: 's3://bucket' });
    expect([code, stderr]).toEqual([
      2,
      expect.stringContaining('npx jmapsmith build --standalone DIR --with s3'),
    ]);
  });
});

describe('the folder, written anew with S3', () => {
  it('keeps what is not of the build, and serves', async () => {
    await write(app, 'data/ours.txt', 'ours');
    await tool(project.root, buildArgs('--with', 's3'));
    expect(await readFile(join(app, 'data/ours.txt'), 'utf8')).toBe('ours');
    expect(existsSync(join(app, 'node_modules/@aws-sdk/client-s3'))).toBe(true);
    const place = 's3://bucket/blobs?endpoint=http://127.0.0.1:1';
    const served = await serve({ BLOB_STORE: place, DATA_DIR: '/data/s3' });
    expect(await served.stop()).toBe(0);
  });

  it('is refused on a machine of another kind', async () => {
    const marker = join(app, 'standalone.json');
    const text = await readFile(marker, 'utf8');
    await writeFile(marker, text.replace(/"builtFor": "[^"]+"/, '"builtFor": "plan9-mips"'));
    const { code, stderr } = await jail.run(SERVE, env);
    expect([code, stderr]).toEqual([2, expect.stringContaining('built on plan9-mips')]);
  });
});

describe('the Dockerfile', () => {
  it('runs the server as another user than root, from the folder that was built', () => {
    expect(oneValueOf(runStage, 'USER')).not.toBe('root');
    expect(oneValueOf(runStage, 'COPY')).toBe('--from=build /app /app');
    expect(oneValueOf(runStage, 'WORKDIR')).toBe('/app');
    expect(oneValueOf(runStage, 'VOLUME')).toBe(environmentOf(runStage)['DATA_DIR']);
    expect(valuesOf(runStage, 'RUN').filter((command) => /npm|npx/.test(command))).toEqual([]);
  });
});

function manifestsBelow(folder: string): readonly string[] {
  const files = readdirSync(folder, { recursive: true, encoding: 'utf8' });
  return files.filter((file) => /(^|\/)node_modules\/(@[^/]+\/)?[^/]+\/package\.json$/.test(file));
}

function kilobytesOnDisk(folder: string): number {
  return Number(execFileSync('du', ['-sk', folder], { encoding: 'utf8' }).split('\t')[0]);
}
