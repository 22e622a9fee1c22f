import { TEAM } from '../../scripts/build-layout.mjs';
import { computeStamp } from '../../scripts/build-stamp.mjs';
import { acceptBuild, quickBuild } from '../../scripts/quick-build.mjs';

/**
 * `node build-quickly.mjs FOLDER`: compiles a project for SQLite as `jmapsmith dev` does, without a
 * look at types, so that `jmapsmith start` finds it built.
 */
const root = process.argv[2] ?? '.';
const stamp = computeStamp(root, TEAM);
await quickBuild(root);
await acceptBuild(root, stamp);
