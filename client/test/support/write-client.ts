import { mkdir, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { emitClient } from '../../../scripts/generator/emit/client.js';
import { loadDescriptors } from '../../../scripts/generator/load/index.js';
import { isReadable } from '../../../src/descriptor/descriptor-file.js';
import { buildModel } from '../../../src/descriptor/model/index.js';
import { viewCapability } from '../../../src/descriptor/view.js';

/** Writes the client of a project into its folder, as the generator does for a team. */
export async function writeClient(root: string): Promise<void> {
  const { descriptors } = await loadDescriptors(root);
  const files = await emitClient(buildModel(descriptors.filter(isReadable).map(viewCapability)));
  for (const [path, text] of files) {
    await mkdir(dirname(join(root, path)), { recursive: true });
    await writeFile(join(root, path), text);
  }
}
