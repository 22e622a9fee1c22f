import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, beforeEach, describe, expect, it, onTestFinished, vi } from 'vitest';
import { quotaCommands } from '../../../scripts/quota-commands.js';
import { ALBUM_YAML, AlbumRig } from '../../methods/quota-blobs-rig.js';
import { type Json, makeProject, type QuotaProject, serveQuotas } from '../../methods/quota-rig.js';
import { capture } from '../generator/project.js';

const YAML = ALBUM_YAML.replace(
  'quotas:\n',
  'quotas:\n  uploads: { types: [], octets: 5kB, of: unreferenced, per: user }\n',
);

let project: QuotaProject;
let folder: string;
let rig: AlbumRig;

beforeAll(async () => {
  project = await makeProject({ 'album.yaml': YAML });
  folder = await mkdtemp(join(tmpdir(), 'jmapsmith-kept-'));
  rig = new AlbumRig((await serveQuotas(project.root, undefined, folder)).served);
});

afterAll(async () => {
  await rig.served.close();
  await project.remove();
  await rm(folder, { recursive: true, force: true });
});

// The commands run beside the server, on its database, in the folder of the project.
beforeEach(() => {
  vi.stubEnv('DATA_DIR', folder);
  vi.stubEnv('DATABASE_URL', undefined);
  // The test runner has one of its own.
  vi.stubEnv('BASE_URL', undefined);
  vi.spyOn(process, 'cwd').mockReturnValue(project.root);
  vi.spyOn(process, 'umask').mockReturnValue(0);
  onTestFinished(() => void vi.unstubAllEnvs());
});

function run(name: string, ...args: readonly string[]) {
  const command = quotaCommands(async () => rig.served.registry)[name];
  if (command === undefined) throw new Error(`There is no command ${name}.`);
  return capture(() => command(args));
}

const FINE = { code: 0, stdout: '', stderr: '' };

describe('account set-plan', () => {
  it('gives an account the limits of a plan, and takes them away, beside a server', async () => {
    expect(await run('set-plan', 'a1', 'small')).toEqual(FINE);
    expect(await rig.quota('files')).toMatchObject({ hardLimit: 1000 });
    const other = await rig.call('Quota/get', { accountId: 'a2', ids: null });
    expect(other.list.map(({ hardLimit }: Json) => hardLimit).sort()).toEqual([3000, 6000]);
    const { notCreated } = await rig.photo({ blobId: await rig.upload(1001) });
    expect(notCreated.p.type).toBe('overQuota');
    expect(await run('set-plan', 'a1', 'none')).toEqual(FINE);
    expect(await rig.quota('files')).toMatchObject({ hardLimit: 3000 });
  });

  it('refuses a plan or an account that there is not, and other arguments', async () => {
    await expect(run('set-plan', 'a1', 'smal')).rejects.toThrow(/no plan "smal".*"small"/s);
    await expect(run('set-plan', 'a9', 'small')).rejects.toThrow('no account "a9"');
    await expect(run('set-plan', 'a1')).rejects.toThrow('Takes ID PLAN');
  });
});

describe('account set-quota', () => {
  it('gives an account a limit of its own, which goes before its plan', async () => {
    await run('set-plan', 'a1', 'small');
    expect(await run('set-quota', 'a1', 'files', '2.5kB')).toEqual(FINE);
    expect(await rig.quota('files')).toMatchObject({ hardLimit: 2500 });
    expect(await rig.quota('storage')).toMatchObject({ hardLimit: 6000 });
    expect(await run('set-quota', 'a1', 'files', '900')).toEqual(FINE);
    expect(await rig.quota('files')).toMatchObject({ hardLimit: 900 });
    expect(await run('set-quota', 'a1', 'files', 'none')).toEqual(FINE);
    expect(await rig.quota('files')).toMatchObject({ hardLimit: 1000 });
    await run('set-plan', 'a1', 'none');
  });

  it('refuses limits that are none, and quotas that accounts have no limit of', async () => {
    await expect(run('set-quota', 'a1', 'files', '5 gigs')).rejects.toThrow('"5 gigs" is no limit');
    await expect(run('set-quota', 'a1', 'files', '0')).rejects.toThrow('"0" is no limit');
    await expect(run('set-quota', 'a1', 'file', '5')).rejects.toThrow(/no quota "file".*"files"/s);
    await expect(run('set-quota', 'a1', 'uploads', '5')).rejects.toThrow('one limit for all');
    await expect(run('set-quota', 'a9', 'files', '5')).rejects.toThrow('no account "a9"');
    await expect(run('set-quota', 'a1', 'files')).rejects.toThrow('Takes ID QUOTA LIMIT');
  });
});

describe('account check-usage', () => {
  it('prints the quotas whose use is wrong, with exit code 1, and mends them', async () => {
    await rig.photo({ blobId: await rig.upload(500) });
    expect(await run('check-usage')).toEqual(FINE);
    const { storage } = await rig.used();
    const { quotas, store } = rig.keeping;
    const deadline = performance.now() + 60_000;
    await store.write('a1', { deadline }, async (transaction) => {
      const rows = await transaction.get(quotas.type, { first: 10 }, quotas.type.properties);
      const wrong = rows.map((row) => ({ ...row, used: 77 }));
      await transaction.writeRows('update', quotas.type, wrong);
    });
    const { code, stdout, stderr } = await run('check-usage');
    expect([code, stderr]).toEqual([1, '']);
    const lines = stdout.trimEnd().split('\n');
    expect(lines.map((line) => line.split(/ {2,}/)).sort()).toEqual([
      ['a1', 'files', 'used 77', 'counted 500'],
      ['a1', 'storage', 'used 77', `counted ${storage}`],
    ]);
    expect(await run('check-usage', 'a2')).toEqual(FINE);
    expect(await run('check-usage', 'a1', '--mend')).toEqual({ ...FINE, stdout });
    expect(await run('check-usage', 'a1')).toEqual(FINE);
    expect(await rig.used()).toEqual({ files: 500, storage });
  });

  it('refuses an account that there is not, and more than one', async () => {
    await expect(run('check-usage', 'a9')).rejects.toThrow('no account "a9"');
    await expect(run('check-usage', 'a1', 'a2')).rejects.toThrow('Takes [ID]');
  });
});
