import type { StatementPlan, TracedStatement } from '../port.js';
import type { Connection } from './connection.js';

/** A node of PostgreSQL's plan, as far as it is shown. */
interface Node {
  readonly 'Node Type': string;
  readonly 'Index Name'?: string;
  readonly 'Relation Name'?: string;
  readonly 'Function Name'?: string;
  readonly Plans?: readonly Node[];
}

/**
 * Returns PostgreSQL's plan of a statement, without conditions, which have values in them, and
 * without numbers, which derive from all accounts' data.
 */
export async function readPlan(
  connection: Connection,
  { sql, parameters }: TracedStatement,
): Promise<StatementPlan> {
  const [row] = await connection.rows({
    text: `EXPLAIN (FORMAT JSON, COSTS OFF) ${sql}`,
    values: parameters as readonly (string | null)[],
  });
  const [text] = row ?? [];
  const [top] = JSON.parse(String(text)) as readonly [{ readonly Plan: Node }];
  const steps: string[] = [];
  const indexes = new Set<string>();
  const add = (node: Node, depth: number): void => {
    const { 'Node Type': what, 'Index Name': index, Plans: below = [] } = node;
    const source = node['Relation Name'] ?? node['Function Name'];
    const using = index === undefined ? '' : ` using ${index}`;
    steps.push(
      `${'  '.repeat(depth)}${what}${using}${source === undefined ? '' : ` on ${source}`}`,
    );
    if (index !== undefined) indexes.add(index);
    for (const each of below) add(each, depth + 1);
  };
  add(top.Plan, 0);
  return { steps, indexes: [...indexes] };
}
