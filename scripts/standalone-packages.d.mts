export function placePackages(
  from: string,
  reached: ReadonlySet<string>,
): ReadonlyMap<string, string>;
export function usedFiles(folder: string, reached: ReadonlySet<string>): readonly string[];
