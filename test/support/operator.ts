import { type ChildProcess, fork } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { RUN_FOLDER } from './once-in-run.js';

const RUN_TOOLS = fileURLToPath(new URL('run-tools.mjs', import.meta.url));
const ROOT = fileURLToPath(new URL('../..', import.meta.url));

/** A tool and its arguments; a number stands for the output of the step with that index. */
export type ToolStep = readonly [script: string, args: readonly (string | number)[]];

export interface ToolRequest {
  /** Of a project that is built. */
  readonly root: string;
  readonly env: Readonly<Record<string, string>>;
  readonly steps: readonly ToolStep[];
}

interface Answer {
  readonly id: number;
  readonly outputs?: readonly string[];
  readonly error?: string;
}

/** A process that runs tools, one after another: each in a process of its own costs a second. */
class Operator {
  readonly #child: ChildProcess;
  readonly #waiting = new Map<number, (answer: Omit<Answer, 'id'>) => void>();
  #asked = 0;

  constructor() {
    const stdio = ['ignore', 'ignore', 'inherit', 'ipc'] as const;
    this.#child = fork(RUN_TOOLS, { execArgv: [], stdio: [...stdio] });
    this.#child.on('message', ({ id, ...answer }: Answer) => this.#waiting.get(id)?.(answer));
    this.#child.once('exit', (code, signal) => {
      const error = `The process of the tools ended with ${code ?? signal}.`;
      for (const resolve of this.#waiting.values()) resolve({ error });
    });
    // It ends with this process, and keeps it from no end.
    this.#child.unref();
    this.#child.channel?.unref();
  }

  /** Resolves to what each step wrote to standard output, trimmed. */
  async run(request: ToolRequest): Promise<readonly string[]> {
    this.#asked += 1;
    const id = this.#asked;
    const answer = new Promise<Omit<Answer, 'id'>>((resolve) => this.#waiting.set(id, resolve));
    this.#child.send({ id, ...request });
    const { outputs, error } = await answer;
    this.#waiting.delete(id);
    if (outputs === undefined) throw new Error(error);
    return outputs;
  }

  end(): void {
    this.#child.disconnect();
  }
}

/** Of this worker, for projects that stay as they are. */
let operator: Operator | undefined;

/** Runs tools of a project. Rejects with what one of them printed that failed. */
export async function runTools(request: ToolRequest): Promise<readonly string[]> {
  if (isUnchanging(request.root)) {
    operator ??= new Operator();
    return operator.run(request);
  }
  // Modules that were loaded before a further build are those of the build before.
  const own = new Operator();
  try {
    return await own.run(request);
  } finally {
    own.end();
  }
}

/** Whether nobody builds a project anew during a run: this repository, or one that files share. */
function isUnchanging(root: string): boolean {
  const shared = process.env[RUN_FOLDER];
  return root === ROOT || (shared !== undefined && root.startsWith(shared));
}
