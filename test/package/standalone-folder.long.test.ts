import { execFileSync } from 'node:child_process';
import { existsSync, readdirSync } from 'node:fs';
import { readFile, rename, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { environmentOf, oneValueOf, valuesOf } from './dockerfile.js';
import { IS_READ_ONLY, JAIL } from './jail.js';
import { jmapsmith, tool, write } from './pack.js';
import { REFUSED_BY_HOOK, runStage, SERVE, tryHooks, useStandalone } from './standalone-project.js';

// A team's project is built to a folder, which then runs where nothing else is to be found. The
// tests follow each other. Databases, blobs and tools: standalone.long.test.ts.

const MEGABYTES = 130;
const PACKAGES = 121;

const standalone = useStandalone();
const { app, jail } = standalone;

describe('build --standalone', () => {
  it('writes a small folder and tells its size', async () => {
    const told = await tool(standalone.root, standalone.buildArgs());
    const [, megabytes, packages] = /: (\d+) MB, (\d+) packages\. /.exec(told) ?? [];
    expect(Number(megabytes)).toBeGreaterThan(5);
    expect(Number(megabytes)).toBeLessThanOrEqual(MEGABYTES);
    expect(Number(packages)).toBeLessThanOrEqual(PACKAGES);
    expect(kilobytesOnDisk(app)).toBeLessThanOrEqual(MEGABYTES * 1000);
    expect(manifestsBelow(app)).toHaveLength(Number(packages));
  }, 600_000);

  it('leaves out the tools of development, the client of S3 and types', () => {
    for (const name of ['typescript', 'prisma', 'ts-morph', '@aws-sdk', 'unused'])
      expect(existsSync(join(app, 'node_modules', name)), name).toBe(false);
    const files = readdirSync(app, { recursive: true, encoding: 'utf8' });
    // Stack traces name the lines of hook files.
    const isMap = (file: string) => /^build\/server\/capabilities\/\w+\.hooks\.js\.map$/.test(file);
    const left = files.filter((file) => /scripts\/generator|\.ts$|\.map$/.test(file));
    expect(left.filter((file) => !isMap(file))).toEqual([]);
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
    const { root } = standalone;
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
  it('finds no program, no package and no file of this machine', async () => {
    const isNodeInside = process.execPath === '/bin/node';
    const paths = [standalone.root, isNodeInside ? '/usr/bin' : process.execPath];
    const program = `const { existsSync } = require('node:fs');
      console.log(JSON.stringify(${JSON.stringify(paths)}.map(existsSync)));`;
    const { stdout } = await jail.run(['-e', program]);
    expect(JSON.parse(stdout)).toEqual(IS_READ_ONLY ? [false, false] : [true, true]);
    const intruder = "require('node:fs').writeFileSync('/app/intruder', '')";
    if (IS_READ_ONLY) expect((await jail.run(['-e', intruder])).code).toBe(1);
  });

  it('serves by the image’s command, with the packages of its hook files', async () => {
    // Files that are read by path must be in the folder.
    const installed = join(standalone.root, 'node_modules');
    await rename(installed, `${installed}.away`);
    const served = await standalone.serve();
    expect(await tryHooks(await standalone.makeOperator(served.url))).toBe(REFUSED_BY_HOOK);
    await rename(`${installed}.away`, installed);
    // By SIGTERM.
    expect(await served.stop()).toBe(0);
  });

  it('says how to build with S3 if it was built without', async () => {
    const { code, stderr } = await jail.run(SERVE, {
      ...standalone.env,
      BLOB_STORE: 's3://bucket',
    });
    expect([code, stderr]).toEqual([
      2,
      expect.stringContaining('npx jmapsmith build --standalone DIR --with s3'),
    ]);
  });

  it.each([
    ['a machine of another kind', 'builtFor', 'plan9-mips', 'built on plan9-mips'],
    ['a Node that its SQLite driver does not run on', 'driver', 'other', 'built on Node 22.14.0'],
  ])('is refused on %s', async (_, member, value, words) => {
    const marker = join(app, 'standalone.json');
    const text = await readFile(marker, 'utf8');
    await writeFile(
      marker,
      JSON.stringify({ ...JSON.parse(text), node: '22.14.0', [member]: value }),
    );
    const { code, stdout, stderr } = await jail.run(SERVE, standalone.env);
    await writeFile(marker, text);
    expect([code, stdout, stderr]).toEqual([2, '', expect.stringContaining(words)]);
    expect(stderr).toMatch(/^jmapsmith: .* run npx jmapsmith build --standalone DIR on .*\.\n$/);
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
