import { spawnSync } from 'node:child_process';
import {
  accessSync,
  chmodSync,
  constants,
  mkdtempSync,
  rmSync,
  statfsSync,
  writeFileSync,
} from 'node:fs';
import { freemem } from 'node:os';
import { join } from 'node:path';

/** A file system in memory, which Linux has. */
const MEMORY = '/dev/shm';
/** Octets that the machine must have to spare. */
const NEEDED = 4 * 1024 ** 3;

/**
 * Makes a folder in memory for the temporary files of tests, where the machine can spare the room.
 * On a disk the fast tier waits for `fsync` most of its time, and none of its tests cuts the power.
 * Returns undefined where TMPDIR already says where they go, and where nothing fits.
 */
export function makeMemoryFolder(): string | undefined {
  if (process.env['TMPDIR'] !== undefined || !hasRoom()) return undefined;
  const folder = mkdtempSync(join(MEMORY, 'jmapsmith-tests-'));
  // PostgreSQL runs as another user where the tests run as root.
  chmodSync(folder, 0o755);
  if (runsPrograms(folder)) return folder;
  rmSync(folder, { recursive: true, force: true });
  return undefined;
}

function hasRoom(): boolean {
  try {
    accessSync(MEMORY, constants.W_OK);
    const { bavail, bsize } = statfsSync(MEMORY);
    return Math.min(bavail * bsize, freemem()) > NEEDED;
  } catch {
    // Another operating system, or a container without it.
    return false;
  }
}

/** Whether programs and native modules may be run there: containers may forbid it. */
function runsPrograms(folder: string): boolean {
  const file = join(folder, 'program');
  writeFileSync(file, '#!/bin/sh\n', { mode: 0o755 });
  const { status } = spawnSync(file);
  rmSync(file);
  return status === 0;
}
