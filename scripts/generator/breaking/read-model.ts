import { checkDescriptors } from '../../../src/descriptor/check/index.js';
import { isReadable } from '../../../src/descriptor/descriptor-file.js';
import { buildModel } from '../../../src/descriptor/model/index.js';
import type { Model, Problem } from '../../../src/descriptor/model.js';
import { isError } from '../../../src/descriptor/problems.js';
import { type CapabilityView, viewCapability } from '../../../src/descriptor/view.js';
import { UsageError } from '../../cli.js';
import { loadDescriptors } from '../load/index.js';

/**
 * Returns the model of a folder's descriptors. Throws UsageError where they are wrong; `of` says
 * whose they are.
 */
export async function readModel(root: string, of?: string): Promise<Model> {
  const { views, errors } = await readViews(root);
  const [problem] = errors;
  if (problem === undefined) return buildModel(views);
  const { at, message } = problem;
  const place = of === undefined ? at.file : `${of}:${at.file}`;
  throw new UsageError(`${place}:${at.line}:${at.column}: ${message}`);
}

/** Returns what a folder's descriptors declare, and what is wrong with them. */
export async function readViews(
  root: string,
): Promise<{ readonly views: readonly CapabilityView[]; readonly errors: readonly Problem[] }> {
  const { descriptors, problems } = await loadDescriptors(root);
  const views = descriptors.filter(isReadable).map(viewCapability);
  return { views, errors: [...problems, ...checkDescriptors(views)].filter(isError) };
}
