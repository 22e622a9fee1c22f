import { checkDescriptors } from '../../../src/descriptor/check/index.js';
import type { Located } from '../../../src/descriptor/located.js';
import { buildModel } from '../../../src/descriptor/model/index.js';
import type { Model } from '../../../src/descriptor/model.js';
import { viewCapability } from '../../../src/descriptor/view.js';
import { UsageError } from '../../cli.js';
import { loadDescriptors } from '../load/index.js';

/**
 * Returns the model of a folder's descriptors. Throws UsageError where they are wrong; `of` says
 * whose they are.
 */
export async function readModel(root: string, of?: string): Promise<Model> {
  const loaded = await loadDescriptors(root);
  const readable = loaded.descriptors.filter(
    (descriptor): descriptor is typeof descriptor & { readonly root: Located } =>
      descriptor.root !== undefined,
  );
  const views = readable.map(viewCapability);
  const [problem] = [...loaded.problems, ...checkDescriptors(views)].filter(
    ({ severity }) => severity !== 'warning',
  );
  if (problem === undefined) return buildModel(views);
  const { at, message } = problem;
  const place = of === undefined ? at.file : `${of}:${at.file}`;
  throw new UsageError(`${place}:${at.line}:${at.column}: ${message}`);
}
