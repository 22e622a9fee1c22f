import { execFileSync } from 'node:child_process';
import { cpSync, existsSync, readFileSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { migrate, migrationStatus, openDatabase } from '../../../src/database/sqlite/index.js';
import { model, property, todo, type } from './models.js';
import { generate, names, sql, temporaryRoot, write } from './project.js';

const DUE = property('due', 'date', { nullable: true });
const RANK = property('rank', 'integer', { default: 0 });

function git(root: string, ...args: readonly string[]): void {
  const who = ['-c', 'user.name=t', '-c', 'user.email=t@example.com'];
  execFileSync('git', [...who, ...args], { cwd: root, stdio: 'pipe' });
}

/** A repository in which 0001_init is committed. */
async function released(): Promise<string> {
  const root = temporaryRoot();
  git(root, 'init', '-q');
  await generate(root, model([todo()]));
  git(root, 'add', '.');
  git(root, 'commit', '-q', '-m', 'first');
  return root;
}

const FOLDERS = ['sqlite', 'postgresql'].map((provider) => `prisma/${provider}/migrations`);

describe('planMigrations: released migrations', () => {
  it('writes an uncommitted migration again, from the last committed state', async () => {
    const root = await released();
    expect(names(await generate(root, model([todo([DUE])])))).toEqual([
      '0001_init',
      '0002_todo_due',
    ]);
    const plan = await generate(root, model([todo([DUE, RANK])]));
    expect(names(plan)).toEqual(['0001_init', '0002_todo_due']);
    for (const provider of ['sqlite', 'postgresql'])
      expect(sql(plan, '0002_todo_due', provider)).toContain('"rank"');
  });

  it('gives it up if nothing differs any more', async () => {
    const root = await released();
    await generate(root, model([todo([DUE])]));
    const plan = await generate(root, model([todo()]));
    expect(names(plan)).toEqual(['0001_init']);
    expect(plan.obsolete).toContain('prisma/sqlite/migrations/0002_todo_due/migration.sql');
    expect(plan.obsolete).toContain('prisma/postgresql/migrations/0002_todo_due/model.json');
  });

  it('leaves it alone once it is committed', async () => {
    const root = await released();
    await generate(root, model([todo([DUE])]));
    git(root, 'add', '.');
    git(root, 'commit', '-q', '-m', 'second');
    const plan = await generate(root, model([todo([DUE, RANK])]));
    expect(names(plan)).toEqual(['0001_init', '0002_todo_due', '0003_todo_rank']);
    expect(plan.obsolete).toEqual([]);
  });

  it('puts the unreleased one behind those that another branch has released', async () => {
    const root = await released();
    const other = temporaryRoot();
    cpSync(root, other, { recursive: true });
    await generate(other, model([todo([RANK])]));
    for (const folder of FOLDERS)
      cpSync(join(other, folder), join(root, folder), { recursive: true });
    git(root, 'add', '.');
    git(root, 'commit', '-q', '-m', 'theirs');
    for (const folder of FOLDERS)
      write(root, `${folder}/0002_todo_due/migration.sql`, '-- made before the pull\n');
    const plan = await generate(root, model([todo([RANK, DUE])]));
    expect(plan.problems).toEqual([]);
    expect(names(plan)).toEqual(['0001_init', '0002_todo_rank', '0003_todo_due']);
    expect(plan.obsolete).toContain('prisma/sqlite/migrations/0002_todo_due/migration.sql');
  });

  it('refuses released migrations of one number or parent, until one is deleted', async () => {
    for (const twin of ['0002_todo_rank', '0003_todo_rank']) {
      const root = temporaryRoot();
      const other = temporaryRoot();
      await generate(root, model([todo()]));
      cpSync(root, other, { recursive: true });
      await generate(root, model([todo([DUE])]));
      await generate(other, model([todo([RANK])]));
      for (const folder of FOLDERS)
        cpSync(join(other, folder, '0002_todo_rank'), join(root, folder, twin), {
          recursive: true,
        });
      const both = model([todo([DUE, RANK])]);
      const [problem] = (await generate(root, both)).problems;
      expect(problem?.code).toBe('migration-branches');
      expect(problem?.message).toContain(`rm -r prisma/*/migrations/${twin}`);
      for (const folder of FOLDERS) rmSync(join(root, folder, twin), { recursive: true });
      expect(names(await generate(root, both))).toEqual([
        '0001_init',
        '0002_todo_due',
        '0003_todo_rank',
      ]);
    }
  });

  it('two branches of git that are merged fail, and the advice mends it', async () => {
    const root = await released();
    const commit = (message: string) => {
      git(root, 'add', '.');
      git(root, 'commit', '-q', '-m', message);
    };
    git(root, 'branch', '-M', 'main');
    git(root, 'checkout', '-q', '-b', 'other');
    await generate(root, model([todo([RANK])]));
    commit('theirs');
    git(root, 'checkout', '-q', 'main');
    await generate(root, model([todo([DUE])]));
    commit('ours');
    // The emitted files conflict; the migrations lie side by side.
    git(root, 'merge', '-q', '-X', 'ours', '--no-edit', 'other');
    const both = model([todo([DUE, RANK])]);
    const { problems } = await generate(root, both);
    expect(problems.map(({ code }) => code)).toEqual(['migration-branches']);
    expect(problems[0]?.at.file).toBe('prisma/sqlite/migrations/0002_todo_rank/schema.prisma');
    expect(problems[0]?.related?.[0]?.file).toContain('0002_todo_due');
    const advice = /\(rm -r (\S+)\)/.exec(problems[0]?.message ?? '')?.[1] ?? '';
    execFileSync('sh', ['-c', `rm -r ${advice}`], { cwd: root });
    const mended = ['0001_init', '0002_todo_due', '0003_todo_rank'];
    expect(names(await generate(root, both))).toEqual(mended);
    commit('mended');
    expect(names(await generate(root, both))).toEqual(mended);
    const db = openDatabase({ file: join(root, 'test.db') });
    expect(migrate(db, join(root, 'prisma/sqlite/migrations')).applied).toEqual(mended);
    db.close();
  });

  it('a migration of a merge that is not committed yet is released, on either side', async () => {
    const root = await released();
    const commit = (message: string) => {
      git(root, 'add', '.');
      git(root, 'commit', '-q', '-m', message);
    };
    git(root, 'branch', '-M', 'main');
    git(root, 'checkout', '-q', '-b', 'other');
    await generate(root, model([todo([RANK])]));
    commit('theirs');
    git(root, 'checkout', '-q', 'main');
    await generate(root, model([todo([DUE])]));
    commit('ours');
    git(root, 'merge', '-q', '-X', 'ours', '--no-commit', 'other');
    const both = model([todo([DUE, RANK])]);
    const { problems, obsolete } = await generate(root, both);
    expect(problems.map(({ code }) => code)).toEqual(['migration-branches']);
    expect(obsolete).toEqual([]);
    for (const folder of FOLDERS) rmSync(join(root, folder, '0002_todo_due'), { recursive: true });
    const mended = ['0001_init', '0002_todo_rank', '0003_todo_due'];
    expect(names(await generate(root, both))).toEqual(mended);
    commit('merged');
    expect(names(await generate(root, both))).toEqual(mended);
  });

  it('the removal of leftovers stays until it is released, or another does it', async () => {
    const root = await released();
    const commit = (message: string) => {
      git(root, 'add', '.');
      git(root, 'commit', '-q', '-m', message);
    };
    const less = model([todo([RANK])]);
    await generate(root, model([todo([DUE, RANK])]));
    commit('both');
    await generate(root, model([todo([RANK], { drops: ['due'] })]));
    commit('dropped');
    const made = ['0001_init', '0002_todo_due', '0003_todo'];
    expect(names(await generate(root, less), 'postgresql')).toEqual(made);
    const contract = [...made, '0004__contract'];
    expect(names(await generate(root, less, true), 'postgresql')).toEqual(contract);
    expect(names(await generate(root, less), 'postgresql'), 'asked for').toEqual(contract);
    expect(names(await generate(root, less)), 'SQLite leaves nothing').toEqual(made);
    const more = model([todo([RANK, DUE])]);
    const plan = await generate(root, more);
    expect(names(plan, 'postgresql')).toEqual([...made, '0004_todo_due']);
    expect(sql(plan, '0004_todo_due', 'postgresql')).toMatch(
      /DROP COLUMN "due";[\s\S]*ADD COLUMN {5}"due"/,
    );
    expect(plan.obsolete).toContain('prisma/postgresql/migrations/0004__contract/migration.sql');
    // One branch releases the one, one the other.
    git(root, 'clean', '-q', '-d', '-f');
    git(root, 'branch', '-M', 'main');
    git(root, 'checkout', '-q', '-b', 'other');
    await generate(root, less, true);
    commit('theirs');
    git(root, 'checkout', '-q', 'main');
    await generate(root, more);
    commit('ours');
    git(root, 'merge', '-q', '-X', 'ours', 'other');
    const { problems } = await generate(root, more);
    expect(problems.map(({ code }) => code)).toEqual(['migration-branches']);
    const advice = /\(rm -r (\S+)\)/.exec(problems[0]?.message ?? '')?.[1] ?? '';
    execFileSync('sh', ['-c', `rm -r ${advice}`], { cwd: root });
    const mended = await generate(root, more);
    expect(names(mended)).toEqual([...made, '0005_todo_due']);
    expect(names(mended, 'postgresql')).toEqual([...contract, '0005_todo_due']);
    expect(sql(mended, '0005_todo_due', 'postgresql')).not.toContain('DROP');
    commit('mended');
    expect((await generate(root, more)).obsolete).toEqual([]);
    const db = openDatabase({ file: join(root, 'test.db') });
    const folder = join(root, 'prisma/sqlite/migrations');
    expect(migrate(db, folder).applied).toEqual([...made, '0005_todo_due']);
    expect(migrationStatus(db, folder).pending).toEqual([]);
    db.close();
  });

  it('refuses a released migration that was deleted for one database alone', async () => {
    const root = await released();
    await generate(root, model([todo([DUE])]));
    git(root, 'add', '.');
    git(root, 'commit', '-q', '-m', 'second');
    const [sqlite, postgresql] = FOLDERS.map((folder) => join(root, folder, '0002_todo_due'));
    rmSync(sqlite ?? '', { recursive: true });
    const plan = await generate(root, model([todo([DUE])]));
    expect(plan.problems.map(({ code }) => code)).toEqual(['migration-history']);
    expect(plan.problems[0]?.message).toContain('git checkout HEAD -- prisma/sqlite/migrations');
    rmSync(postgresql ?? '', { recursive: true });
    const again = await generate(root, model([todo([DUE])]));
    expect(names(again)).toEqual(['0001_init', '0002_todo_due']);
  });

  it('names the hash of its parent in the model beside it', async () => {
    const root = await released();
    await generate(root, model([todo([DUE])]));
    const path = (name: string) => join(root, `prisma/sqlite/migrations/${name}/model.json`);
    expect(existsSync(path('0001_init'))).toBe(true);
    const snapshot = JSON.parse(readFileSync(path('0002_todo_due'), 'utf8')) as { parent: string };
    expect(snapshot.parent).toMatch(/^sha256-[0-9a-f]{64}$/);
    const country = type('Country', []);
    expect((await generate(root, model([todo([DUE]), country]))).problems).toEqual([]);
  });
});
