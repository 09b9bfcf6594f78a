/**
 * JSON text as Python's `json.dumps` writes it: a space after each comma and colon, everything outside ASCII escaped.
 * The reference stores the arguments of tool calls in this form.
 */
export function pythonJson(value: unknown): string {
  if (Array.isArray(value)) return `[${value.map(pythonJson).join(', ')}]`;
  if (typeof value === 'object' && value !== null) {
    const members = Object.entries(value)
      .filter(([, member]) => member !== undefined)
      .map(([key, member]) => `${ascii(JSON.stringify(key))}: ${pythonJson(member)}`);
    return `{${members.join(', ')}}`;
  }
  return ascii(JSON.stringify(value) ?? 'null');
}

function ascii(json: string): string {
  return json.replace(/[\u007f-\uffff]/g, (unit) =>
    unit === '\u007f' ? unit : `\\u${unit.charCodeAt(0).toString(16).padStart(4, '0')}`,
  );
}
