// Names of parts that tell them apart.

/** The last elements of paths; where different paths have one, as much of each as tells them apart. */
export function shortNames(labels: readonly string[]): string[] {
  const paths = [...new Set(labels)];
  const elements = paths.map((label) => label.split("/").filter((part) => part !== ""));
  const depth = paths.map(() => 1);
  const name = (i: number) => elements[i].slice(-depth[i]).join("/") || paths[i];
  for (let again = true; again; ) {
    again = false;
    const known = new Map<string, number[]>();
    paths.forEach((_, i) => {
      const same = known.get(name(i));
      if (same) same.push(i);
      else known.set(name(i), [i]);
    });
    for (const same of known.values())
      if (same.length > 1)
        for (const i of same)
          if (depth[i] < elements[i].length) {
            depth[i]++;
            again = true;
          }
  }
  const names = new Map(paths.map((path, i) => [path, name(i)]));
  return labels.map((label) => names.get(label) ?? label);
}
