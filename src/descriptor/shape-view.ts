import { type Located, member } from './located.js';
import { type NameView, nameOf } from './name-view.js';

/** The shapes of a type's results as declared; a part is undefined where it is no text. */
export interface ShapesView {
  readonly collapse: { readonly argument?: NameView; readonly by?: NameView } | undefined;
  readonly tree:
    | { readonly by?: NameView; readonly sort?: NameView; readonly filter?: NameView }
    | undefined;
}

/** Reads `query` of a type; undefined where it has none. */
export function viewShapes(node: Located | undefined): ShapesView | undefined {
  if (node === undefined) return undefined;
  const [collapse, tree] = [member(node, 'collapse'), member(node, 'tree')];
  return {
    collapse: collapse && { ...named(collapse, 'argument'), ...named(collapse, 'by') },
    tree: tree && { ...named(tree, 'by'), ...named(tree, 'sort'), ...named(tree, 'filter') },
  };
}

function named<Key extends string>(node: Located, key: Key): { readonly [Name in Key]?: NameView } {
  const name = nameOf(member(node, key));
  return (name === undefined ? {} : { [key]: name }) as { readonly [Name in Key]?: NameView };
}
