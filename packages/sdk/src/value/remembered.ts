/** Memoises a function by its argument, for as long as that object lives. */
export function remembered<In extends object, Out>(make: (input: In) => Out): (input: In) => Out {
  const made = new WeakMap<In, Out>();
  return (input) => {
    const known = made.get(input);
    if (known !== undefined) return known;
    const fresh = make(input);
    made.set(input, fresh);
    return fresh;
  };
}
