import { UsageError } from '../cli.js';
import { command } from '../invocation.js';
import { DESCRIPTOR_FOLDER } from './load/index.js';

/**
 * Returns a UsageError for what the file system refuses (no such folder, no permission, no space):
 * it is told in a line, not as a defect.
 */
export function asUsageError(error: unknown, root: string): unknown {
  if (!(error instanceof Error) || !('code' in error) || !('syscall' in error)) return error;
  const missing = error.code === 'ENOENT' || error.code === 'ENOTDIR';
  if (missing && 'path' in error && String(error.path).endsWith(DESCRIPTOR_FOLDER))
    return new UsageError(
      `there is no folder ${DESCRIPTOR_FOLDER}/ in ${root}. Run this in the folder of your ` +
        `project, or say which with --root; ${command('new', 'TYPE')} begins one.`,
    );
  return new UsageError(error.message);
}
