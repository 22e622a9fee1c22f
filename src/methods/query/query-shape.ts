import type { QueryShapes } from '../../capability/definition.js';
import type { PlanShape } from '../../store/port.js';

/** Returns the shape that the arguments of a call ask for; undefined for none. */
export function shapeOf({ collapse, tree }: QueryShapes, args: object): PlanShape | undefined {
  const isAsked = (argument: string | undefined): boolean =>
    argument !== undefined && Reflect.get(args, argument) === true;
  if (collapse !== undefined && isAsked(collapse.argument))
    return { kind: 'collapse', by: collapse.by };
  if (tree === undefined) return undefined;
  const [sorts, filters] = [isAsked(tree.sort), isAsked(tree.filter)];
  return sorts || filters ? { kind: 'tree', by: tree.by, sorts, filters } : undefined;
}

/** Returns what tells a shape from another one, as JSON. */
export function identityOfShape(shape: PlanShape): readonly unknown[] {
  const { kind, by } = shape;
  return kind === 'tree' ? [kind, by.column, shape.sorts, shape.filters] : [kind, by.column];
}

/** Returns whether the shape leaves out objects of the ordered result. */
export function leavesOut(shape: PlanShape): boolean {
  return shape.kind === 'collapse' || shape.filters;
}
