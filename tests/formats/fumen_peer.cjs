// Answers questions about fumens with npm's tetris-fumen: a line of JSON in, a line of JSON out.
//
// {"decode": TEXT} -> {"pages": [PAGE...]}; {"encode": [PAGE...]} -> {"text": TEXT}; {"error": ...}.
// PAGE: rows (from the bottom), garbage, piece (null, or [letter, rotation, x, y]), comment, lock,
// rise, mirror, color.
const readline = require("node:readline");
const { decoder, encoder, Field } = require("tetris-fumen");

const ROWS = 23;
const toTheirs = (row) => row.replaceAll("G", "X").replaceAll(".", "_");
const toOurs = (row) => row.replaceAll("X", "G").replaceAll("_", ".");

function decode(text) {
  return decoder.decode(text).map((page) => {
    const lines = page.field.str({ reduced: false, separator: "\n", garbage: true }).split("\n");
    const piece = page.operation;
    return {
      rows: lines.slice(0, ROWS).reverse().map(toOurs),
      garbage: toOurs(lines[ROWS]),
      piece: piece ? [piece.type, piece.rotation, piece.x, piece.y] : null,
      comment: page.comment,
      lock: page.flags.lock,
      rise: page.flags.rise,
      mirror: page.flags.mirror,
      color: page.flags.colorize,
    };
  });
}

function encode(pages) {
  return encoder.encode(
    pages.map((page) => {
      const rows = [...page.rows].reverse().map(toTheirs).join("");
      const [type, rotation, x, y] = page.piece ?? [];
      return {
        field: Field.create(rows, toTheirs(page.garbage)),
        operation: page.piece ? { type, rotation, x, y } : undefined,
        comment: page.comment,
        flags: { lock: page.lock, rise: page.rise, mirror: page.mirror, colorize: page.color },
      };
    }),
  );
}

readline.createInterface({ input: process.stdin }).on("line", (line) => {
  const question = JSON.parse(line);
  let answer;
  try {
    answer =
      "decode" in question
        ? { pages: decode(question.decode) }
        : { text: encode(question.encode) };
  } catch (error) {
    answer = { error: String(error) };
  }
  console.log(JSON.stringify(answer));
});
