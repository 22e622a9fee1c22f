import { UsageError } from '../cli.js';
import { TarError } from './tar.js';

/** Messages of the system about files that can't be had, or about a full disk. */
const SYSTEM =
  /^(SQLITE_(CANTOPEN|CORRUPT|FULL|IOERR|NOTADB|READONLY)|E(ACCES|DQUOT|EXIST|FBIG|IO|ISDIR|NOENT|NOSPC|NOTDIR|PERM|ROFS))/;

/** A file that is no backup, or none that can be relied on. */
export class BackupFileError extends UsageError {
  constructor(file: string, reason: string) {
    super(`${file} can't be restored from: ${reason}.`);
  }
}

/** Says in words why a backup or a restore failed; returns other errors as they are. */
export function inWords(what: string, error: unknown): unknown {
  if (!(error instanceof Error) || error instanceof UsageError) return error;
  if (error instanceof TarError) return new UsageError(`${what}: ${error.message}.`);
  const code = 'code' in error ? String(error.code) : '';
  if (!SYSTEM.test(code)) return error;
  const full = /ENOSPC|EDQUOT|SQLITE_FULL/.test(code) ? 'the disk is full: ' : '';
  return new UsageError(`${what}: ${full}${error.message} (${code}).`);
}
