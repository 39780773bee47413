// A client as a team of 2012 wrote it in Java: JeroMQ, Gson, no thread of its own.
//
// It connects first and subscribes after the reply, sends one move for each state message (left,
// right, lrotate, drop; never with a piece's number), and prints every message it gets.
//
//     java Stepper HOST TOKEN TEAM PASSWORD
//
// Exit: 0 after MatchEnd, 1 on anything that it does not understand.

import com.google.gson.Gson;
import com.google.gson.JsonObject;
import java.util.List;
import java.util.Map;
import org.zeromq.ZMQ;

public final class Stepper {
    static final class Piece {
        int orient;
        String piece;
        int number;
        int row;
        int col;
    }

    static final class PieceState {
        String comm_type;
        String game_name;
        int sequence;
        double timestamp;
        Map<String, Piece> states;
        List<String> queue;
    }

    static final class BoardOfTeam {
        String board_state;
        int piece_number;
        int[] cleared_rows;
    }

    static final class BoardState {
        String comm_type;
        String game_name;
        int sequence;
        double timestamp;
        Map<String, BoardOfTeam> states;
    }

    static final class GameEnd {
        String comm_type;
        String game_name;
        int sequence;
        double timestamp;
        Map<String, Integer> scores;
        String winner;
        String match_token;
    }

    static final class Move {
        final String comm_type = "GameMove";
        final String client_token;
        final String move;

        Move(String clientToken, String move) {
            this.client_token = clientToken;
            this.move = move;
        }
    }

    private final Gson gson = new Gson();
    private final String team;
    private final ZMQ.Socket commands;
    private final ZMQ.Socket states;
    private String clientToken;
    private int moves;
    private int[] heights = new int[10];
    private int number = -1;
    private int target;

    private Stepper(ZMQ.Context context, String host, String token, String team, String password) {
        this.team = team;
        commands = context.socket(ZMQ.REQ);
        commands.connect("tcp://" + host + ":5557");
        JsonObject request = new JsonObject();
        request.addProperty("comm_type", "MatchConnect");
        request.addProperty("match_token", token);
        request.addProperty("team_name", team);
        request.addProperty("password", password);
        JsonObject reply = ask(gson.toJson(request));
        if (!reply.get("resp").getAsString().equals("ok")) {
            throw new IllegalStateException("not connected: " + reply);
        }
        clientToken = reply.get("client_token").getAsString();
        states = context.socket(ZMQ.SUB);
        states.connect("tcp://" + host + ":5556");
        states.subscribe(token.getBytes());
    }

    private JsonObject ask(String request) {
        commands.send(request);
        return gson.fromJson(commands.recvStr(), JsonObject.class);
    }

    private void play() {
        while (true) {
            states.recvStr();
            String text = states.recvStr();
            System.out.println(text);
            JsonObject message = gson.fromJson(text, JsonObject.class);
            String type = message.get("comm_type").getAsString();
            if (type.equals("GamePieceState")) {
                piecesShown(gson.fromJson(text, PieceState.class));
            } else if (type.equals("GameBoardState")) {
                boardShown(gson.fromJson(text, BoardState.class));
            } else if (type.equals("GameEnd")) {
                GameEnd end = gson.fromJson(text, GameEnd.class);
                if (!end.scores.containsKey(end.winner) || !end.scores.containsKey(team)) {
                    throw new IllegalStateException("whose game was it? " + text);
                }
                heights = new int[10];
            } else if (type.equals("MatchEnd")) {
                System.out.println("match over " + moves);
                return;
            } else {
                throw new IllegalStateException("unknown: " + text);
            }
        }
    }

    private void boardShown(BoardState state) {
        String digits = state.states.get(team).board_state;
        heights = new int[10];
        for (int cell = 199; cell >= 0; cell--) {
            int digit = Character.digit(digits.charAt(cell / 4), 16);
            if ((digit >> (3 - cell % 4) & 1) != 0) {
                heights[cell % 10] = 20 - cell / 10;
            }
        }
    }

    // To the lowest column and down, one move a message.
    private void piecesShown(PieceState state) {
        Piece mine = state.states.get(team);
        if (mine == null) {
            return;
        }
        if (mine.number != number) {
            number = mine.number;
            target = 2;
            for (int column = 3; column < 9; column++) {
                if (heights[column] < heights[target]) {
                    target = column;
                }
            }
        }
        String move = "drop";
        if (mine.piece.equals("I") && mine.orient == 0 && mine.row > 0) {
            move = "lrotate";
        } else if (mine.col > target) {
            move = "left";
        } else if (mine.col < target) {
            move = "right";
        }
        JsonObject reply = ask(gson.toJson(new Move(clientToken, move)));
        String type = reply.get("comm_type").getAsString();
        if (type.equals("ErrorResp")) {
            System.out.println("error: " + reply);
        } else if (!reply.get("resp").getAsString().equalsIgnoreCase("ok")) {
            throw new IllegalStateException("no reply to a move: " + reply);
        }
        moves++;
    }

    public static void main(String[] words) {
        ZMQ.Context context = ZMQ.context(1);
        try {
            new Stepper(context, words[0], words[1], words[2], words[3]).play();
        } catch (RuntimeException error) {
            System.err.println("broken: " + error);
            System.exit(1);
        }
        System.exit(0);
    }
}
