import { createHash } from 'node:crypto';
import { existsSync, readdirSync, readFileSync, renameSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { REPOSITORY } from './build-layout.mjs';

/** Every input file of the build, relative to `root`, with `/`, in order of code points. */
export function inputFiles(root, layout = REPOSITORY) {
  const files = new Set(
    furtherSources(root, layout).filter((file) => existsSync(join(root, file))),
  );
  for (const { at, counts } of layout.inputs) {
    if (counts === undefined) {
      if (existsSync(join(root, at))) files.add(at);
    } else collect(root, at, counts, files);
  }
  return [...files].sort();
}

/**
 * Sources that the last build found by following imports: helpers of hook files, wherever they lie.
 */
function furtherSources(root, layout) {
  const list = sourcesFile(root, layout);
  return existsSync(list) ? JSON.parse(readFileSync(list, 'utf8')) : [];
}

/** Where a build lists the sources that it found by following imports. */
export function sourcesFile(root, layout) {
  return join(root, layout.out, '.sources.json');
}

function collect(root, folder, counts, files) {
  if (!existsSync(join(root, folder))) return;
  for (const entry of readdirSync(join(root, folder), { withFileTypes: true })) {
    const path = `${folder}/${entry.name}`;
    if (entry.isDirectory()) collect(root, path, counts, files);
    else if (counts.test(path)) files.add(path);
  }
}

/**
 * SHA-256 (hex) over the names and contents of `files`: times mean nothing, a fresh clone has the
 * same. `version` is what else the result depends on.
 */
export function stampOf(root, files, version = '') {
  const hash = createHash('sha256').update(version);
  for (const file of files) {
    const content = readFileSync(join(root, file));
    hash.update(`${file}\0${content.length}\0`).update(content);
  }
  return hash.digest('hex');
}

/** The stamp of the build that `root`'s inputs ask for. */
export function computeStamp(root, layout = REPOSITORY) {
  return stampOf(root, inputFiles(root, layout), layout.version());
}

/** The stamp in `file`, or undefined where there is none. */
export function readStamp(file) {
  return existsSync(file) ? readFileSync(file, 'utf8').trim() : undefined;
}

/** Writes a stamp so that a reader finds it whole or not at all. */
export function writeStamp(file, stamp) {
  const draft = `${file}.${process.pid}`;
  writeFileSync(draft, `${stamp}\n`);
  renameSync(draft, file);
}

/** Where the stamp of what was built stands. */
export function stampFile(root, layout = REPOSITORY) {
  return join(root, layout.out, '.stamp');
}

/** Whether what was built is what the inputs ask for. */
export function isCurrent(root, layout = REPOSITORY) {
  const built = readStamp(stampFile(root, layout));
  return built !== undefined && built === computeStamp(root, layout);
}
