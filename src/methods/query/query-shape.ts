import type { DataTypeDefinition } from '../../capability/definition.js';
import type { PlanShape } from '../../store/port.js';
import { isImmutable } from '../type-index.js';

/** Returns the shape that the arguments of a call ask for; undefined for most. */
export function shapeOf({ query }: DataTypeDefinition, args: object): PlanShape | undefined {
  if (query === undefined) return undefined;
  const { collapse, tree } = query;
  const isAsked = (argument: string | undefined): boolean =>
    argument !== undefined && Reflect.get(args, argument) === true;
  if (isAsked(collapse?.argument) && collapse !== undefined)
    return { kind: 'collapse', by: collapse.by };
  if (tree === undefined) return undefined;
  const [sorts, filters] = [isAsked(tree.sort), isAsked(tree.filter)];
  return sorts || filters ? { kind: 'tree', by: tree.by, sorts, filters } : undefined;
}

/** Returns what tells a shape from another one, as JSON. */
export function identityOfShape(shape: PlanShape | undefined): readonly unknown[] {
  if (shape === undefined) return [];
  const { kind, by } = shape;
  return [kind === 'tree' ? [kind, by.name, shape.sorts, shape.filters] : [kind, by.name]];
}

/** Returns whether a shape reads nothing that may change while an object lives. */
export function isStableShape(shape: PlanShape | undefined): boolean {
  return shape === undefined || isImmutable(shape.by);
}

/** Returns whether the shape leaves out objects of the ordered result. */
export function leavesOut(shape: PlanShape | undefined): boolean {
  return shape !== undefined && (shape.kind === 'collapse' || shape.filters);
}
