/**
 * Most commands are a single line of words that is obviously complete. They are recognised without the grammar, which takes
 * 25 ms and 14 MB to load:
 *
 *     line    = command { (";" | "&&" | "||" | "|") command } [ ";" ]
 *     command = word { blank word }
 *     word    = characters that mean nothing, $NAME, quoted text that expands only $NAME, redirections to a file or number
 *
 * A reserved word anywhere (`if`, `time`) makes a line not plain.
 */
const PIECES = String.raw`(?:[\w./:=,@%+~^*?\-]|\$\w|'[^'\n]*'|"(?:[^"\\$\x60\n]|\$\w)*")+`;
const WORD = String.raw`(?:\d?>>?(?:&\d|[ \t]*${PIECES})|${PIECES})`;
const COMMAND = String.raw`${WORD}(?:[ \t]+${WORD})*`;
const LINE = new RegExp(
  String.raw`^[ \t]*${COMMAND}(?:[ \t]*(?:;|&&|\|\|?)[ \t]*${COMMAND})*[ \t]*;?[ \t]*$`,
);
const RESERVED =
  /(?:^|[\s;|&])(?:if|then|elif|else|fi|for|while|until|do|done|case|esac|select|function|in|coproc|time)\b/;

/** For longer lines the grammar is as fast, and the expression needs too much stack. */
const MOST_CHARACTERS = 10_000;

/** True if the text certainly is one complete statement; false if it may or may not be. */
export function isPlainLine(text: string): boolean {
  return text.length <= MOST_CHARACTERS && LINE.test(text) && !RESERVED.test(text);
}
