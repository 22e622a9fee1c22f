import { TaskRows } from '../src/database/task-rows.js';
import { listTaskKinds } from '../src/hooks/task-kinds.js';
import { createRegistry } from '../src/methods/registry.js';
import { projectRoot } from '../src/server/package-root.js';
import { loadProject } from '../src/server/project.js';
import { parseOptions, printLine, runTool, UsageError } from './cli.js';
import { columns } from './columns.js';
import { withDirectory } from './directory.js';
import { command } from './invocation.js';

const HELP = `
Usage: ${command('tasks', '[--drop KIND]')}

Prints a line for each kind of durable work that hooks have left to the servers, without a heading:
kind, tasks, those that have failed, and "gone" where no hook does them.

  --drop KIND  forgets all tasks of a kind whose hook is gone, and prints how many there were

The command works while a server runs.
Exit codes: 0 fine, 2 an argument or the environment is wrong, 70 the database stays busy, or a
defect.
`;

await runTool('tasks', HELP, async (argv) => {
  const { values } = parseOptions(argv, { options: { drop: { type: 'string' } } });
  const { registry } = await loadProject(projectRoot());
  const served = listTaskKinds(createRegistry(registry));
  const { drop } = values;
  if (drop !== undefined && served.includes(drop))
    throw new UsageError(`A hook still does the tasks of ${drop}: remove it first.`);
  return withDirectory(async (prisma) => {
    const rows = new TaskRows(prisma);
    if (drop === undefined) await list(rows, served);
    else await forget(rows, drop);
  });
});

async function list(rows: TaskRows, served: readonly string[]): Promise<void> {
  const lines = (await rows.kinds()).map(({ kind, waiting, failing }) => [
    ...[kind, countTasks(waiting), `${failing} failed`],
    served.includes(kind) ? '' : 'gone',
  ]);
  for (const line of columns(lines)) printLine(line.trimEnd());
}

async function forget(rows: TaskRows, kind: string): Promise<void> {
  const dropped = await rows.drop(kind);
  if (dropped > 0) return printLine(`${countTasks(dropped)} of ${kind} dropped`);
  const kinds = (await rows.kinds()).map((one) => one.kind).join(', ');
  throw new UsageError(`There are no tasks of ${kind}. There are tasks of: ${kinds || 'no hook'}.`);
}

function countTasks(count: number): string {
  return count === 1 ? '1 task' : `${count} tasks`;
}
