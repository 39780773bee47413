// A client as a strong team of 2012 wrote it, from the contest's text alone: libzmq's C interface
// (2.x or later), JsonCpp, one thread.
//
// It searches all paths of a new piece, moves down once before it rotates, sends the number of the
// piece with every move, and believes nothing that the text does not allow: two frames a message,
// integers, fifty lower-case digits, "ok" for the connection, "OK" for a move.
//
//     planner HOST TOKEN TEAM PASSWORD
//
// Prints "game NAME MINE THEIRS winner|loser" a game, and at the end "match over PIECES ROWS
// MOVES". Exit: 0 after MatchEnd, 1 if the server broke a rule, 2 if it answered with an error.

#include <json/json.h>
#include <zmq.h>

#include <algorithm>
#include <cstdlib>
#include <cstring>
#include <deque>
#include <iostream>
#include <sstream>
#include <stdexcept>
#include <string>
#include <vector>

namespace {

struct Broken : std::runtime_error {
    using std::runtime_error::runtime_error;
};

struct Refused : std::runtime_error {
    using std::runtime_error::runtime_error;
};

// --- sockets ------------------------------------------------------------------------------------

#if ZMQ_VERSION_MAJOR < 3
typedef int64_t More;
int send_part(void* socket, zmq_msg_t* part) { return zmq_send(socket, part, 0); }
int receive_part(void* socket, zmq_msg_t* part) { return zmq_recv(socket, part, 0); }
#else
typedef int More;
int send_part(void* socket, zmq_msg_t* part) { return zmq_msg_send(part, socket, 0); }
int receive_part(void* socket, zmq_msg_t* part) { return zmq_msg_recv(part, socket, 0); }
#endif

void checked(bool fine, const char* what) {
    if (!fine) throw std::runtime_error(std::string(what) + ": " + zmq_strerror(zmq_errno()));
}

void send_text(void* socket, const std::string& text) {
    zmq_msg_t part;
    checked(zmq_msg_init_size(&part, text.size()) == 0, "zmq_msg_init_size");
    std::memcpy(zmq_msg_data(&part), text.data(), text.size());
    checked(send_part(socket, &part) >= 0, "sending");
    zmq_msg_close(&part);
}

std::string receive_text(void* socket, bool* more) {
    zmq_msg_t part;
    checked(zmq_msg_init(&part) == 0, "zmq_msg_init");
    checked(receive_part(socket, &part) >= 0, "receiving");
    std::string text(static_cast<char*>(zmq_msg_data(&part)), zmq_msg_size(&part));
    zmq_msg_close(&part);
    More flag = 0;
    size_t size = sizeof flag;
    checked(zmq_getsockopt(socket, ZMQ_RCVMORE, &flag, &size) == 0, "ZMQ_RCVMORE");
    *more = flag != 0;
    return text;
}

Json::Value parsed(const std::string& text) {
    Json::Value value;
    Json::Reader reader;
    if (!reader.parse(text, value) || !value.isObject()) throw Broken("no JSON object: " + text);
    return value;
}

const Json::Value& field(const Json::Value& object, const char* name) {
    if (!object.isObject() || !object.isMember(name)) {
        throw Broken(std::string("no field ") + name);
    }
    return object[name];
}

std::string text_of(const Json::Value& object, const char* name) {
    const Json::Value& value = field(object, name);
    if (!value.isString()) throw Broken(std::string(name) + " is no string");
    return value.asString();
}

int integer_of(const Json::Value& object, const char* name) {
    const Json::Value& value = field(object, name);
    if (value.type() != Json::intValue && value.type() != Json::uintValue) {
        throw Broken(std::string(name) + " is not convertible to int");
    }
    return value.asInt();
}

// --- the game
// -------------------------------------------------------------------------------------

const int kRows = 20;
const int kColumns = 10;

struct Cell {
    int row, column;
};

struct Shape {
    char name;
    std::vector<std::vector<Cell> > turns;
};

const std::vector<Shape>& shapes() {
    static const std::vector<Shape> all = {
        {'O', {{{0, -1}, {0, 0}, {1, -1}, {1, 0}}}},
        {'I', {{{0, -2}, {0, -1}, {0, 0}, {0, 1}}, {{-1, 0}, {0, 0}, {1, 0}, {2, 0}}}},
        {'S', {{{0, 0}, {0, 1}, {1, -1}, {1, 0}}, {{-1, 0}, {0, 0}, {0, 1}, {1, 1}}}},
        {'Z', {{{0, -1}, {0, 0}, {1, 0}, {1, 1}}, {{-1, 1}, {0, 0}, {0, 1}, {1, 0}}}},
        {'L',
         {{{0, -1}, {0, 0}, {0, 1}, {1, -1}},
          {{-1, 0}, {0, 0}, {1, 0}, {1, 1}},
          {{-1, 1}, {0, -1}, {0, 0}, {0, 1}},
          {{-1, -1}, {-1, 0}, {0, 0}, {1, 0}}}},
        {'J',
         {{{0, -1}, {0, 0}, {0, 1}, {1, 1}},
          {{-1, 0}, {-1, 1}, {0, 0}, {1, 0}},
          {{-1, -1}, {0, -1}, {0, 0}, {0, 1}},
          {{-1, 0}, {0, 0}, {1, -1}, {1, 0}}}},
        {'T',
         {{{0, -1}, {0, 0}, {0, 1}, {1, 0}},
          {{-1, 0}, {0, 0}, {0, 1}, {1, 0}},
          {{-1, 0}, {0, -1}, {0, 0}, {0, 1}},
          {{-1, 0}, {0, -1}, {0, 0}, {1, 0}}}},
    };
    return all;
}

const Shape& shape_named(const std::string& name) {
    for (size_t i = 0; i < shapes().size(); ++i) {
        if (name.size() == 1 && shapes()[i].name == name[0]) return shapes()[i];
    }
    throw Broken("no piece " + name);
}

typedef std::vector<char> Board;  // kRows * kColumns, from the top left

Board board_from(const std::string& digits) {
    if (digits.size() != 50) throw Broken("a board of other than 50 digits: " + digits);
    Board board;
    for (size_t i = 0; i < digits.size(); ++i) {
        const char* found = std::strchr("0123456789abcdef", digits[i]);
        if (found == NULL || digits[i] == '\0') throw Broken("no lower-case digit in " + digits);
        const int value = static_cast<int>(found - "0123456789abcdef");
        for (int bit = 8; bit != 0; bit /= 2) board.push_back((value & bit) != 0);
    }
    return board;
}

struct State {
    int row, column, turn;
};

bool fits(const Board& board, const Shape& shape, const State& at) {
    const std::vector<Cell>& cells = shape.turns[at.turn];
    for (size_t i = 0; i < cells.size(); ++i) {
        const int row = at.row + cells[i].row;
        const int column = at.column + cells[i].column;
        if (column < 0 || column >= kColumns || row >= kRows) return false;
        if (row >= 0 && board[row * kColumns + column]) return false;
    }
    return true;
}

State moved(const State& from, int move, int turns) {
    State to = from;
    switch (move) {
        case 0:
            ++to.row;
            break;
        case 1:
            to.turn = (to.turn + 1) % turns;
            break;
        case 2:
            to.turn = (to.turn + turns - 1) % turns;
            break;
        case 3:
            --to.column;
            break;
        default:
            ++to.column;
            break;
    }
    return to;
}

const char* const kMoves[] = {"down", "lrotate", "rrotate", "left", "right"};

bool filled(const Board& board, int row, int column) {
    // Walls and the floor are as good as cells.
    if (column < 0 || column >= kColumns || row >= kRows) return true;
    return row >= 0 && board[row * kColumns + column];
}

// What lies after a piece has come to rest; the smaller the better. The measures and weights are
// those that Dellacherie found by hand, and everybody took from him.
double judged(Board board, const Shape& shape, const State& at) {
    const std::vector<Cell>& cells = shape.turns[at.turn];
    int highest = kRows, lowest = 0;
    for (size_t i = 0; i < cells.size(); ++i) {
        const int row = at.row + cells[i].row;
        if (row < 0) return 1e9;
        board[row * kColumns + at.column + cells[i].column] = 1;
        highest = std::min(highest, row);
        lowest = std::max(lowest, row);
    }
    int cleared = 0, gone = 0;
    for (int row = 0; row < kRows; ++row) {
        bool full = true;
        for (int column = 0; column < kColumns; ++column) full &= filled(board, row, column);
        if (!full) continue;
        ++cleared;
        for (size_t i = 0; i < cells.size(); ++i) gone += at.row + cells[i].row == row;
        board.erase(board.begin() + row * kColumns, board.begin() + (row + 1) * kColumns);
        board.insert(board.begin(), kColumns, 0);
    }
    int across = 0, along = 0, holes = 0, wells = 0;
    for (int row = 0; row < kRows; ++row) {
        for (int column = 0; column <= kColumns; ++column) {
            across += filled(board, row, column) != filled(board, row, column - 1);
        }
    }
    for (int column = 0; column < kColumns; ++column) {
        bool covered = false;
        int depth = 0;
        for (int row = 0; row <= kRows; ++row) {
            along += filled(board, row, column) != filled(board, row - 1, column);
            const bool cell = filled(board, row, column);
            if (cell) {
                covered = true;
                depth = 0;
                continue;
            }
            holes += covered;
            const bool between = filled(board, row, column - 1) && filled(board, row, column + 1);
            depth = between ? depth + 1 : 0;
            wells += depth;
        }
    }
    const double landing = kRows - (highest + lowest) / 2.0;
    return 4.5 * landing - 3.4 * cleared * gone + 3.2 * across + 9.3 * along + 7.9 * holes +
           3.4 * wells;
}

// Shortest ways to all states, down first, for a rotation at the top may be refused.
std::vector<std::string> planned(const Board& board, const Shape& shape, const State& start) {
    const int turns = static_cast<int>(shape.turns.size());
    std::vector<std::string> moves;
    State first = start;
    const State below = moved(start, 0, turns);
    if (fits(board, shape, below)) {
        first = below;
        moves.push_back("down");
    }
    struct Step {
        State at;
        int before, move;
    };
    std::vector<Step> steps;
    std::vector<char> seen((kRows + 4) * kColumns * 4, 0);
    steps.push_back(Step{first, -1, -1});
    int best = -1;
    double least = 1e12;
    for (size_t next = 0; next < steps.size(); ++next) {
        const State at = steps[next].at;
        if (!fits(board, shape, moved(at, 0, turns))) {
            const double value = judged(board, shape, at);
            if (value < least) {
                least = value;
                best = static_cast<int>(next);
            }
        }
        // Rotations, then shifts, then down.
        const int order[] = {1, 2, 3, 4, 0};
        for (int i = 0; i < 5; ++i) {
            const State to = moved(at, order[i], turns);
            if (to.row < first.row || !fits(board, shape, to)) continue;
            const int key = ((to.row + 2) * kColumns + to.column) * 4 + to.turn;
            if (seen[key]) continue;
            seen[key] = 1;
            steps.push_back(Step{to, static_cast<int>(next), order[i]});
        }
    }
    std::deque<int> path;
    for (int step = best; step > 0; step = steps[step].before) path.push_front(steps[step].move);
    while (!path.empty() && path.back() == 0) path.pop_back();
    for (size_t i = 0; i < path.size(); ++i) moves.push_back(kMoves[path[i]]);
    moves.push_back("drop");
    return moves;
}

// --- the client
// -----------------------------------------------------------------------------------

class Client {
  public:
    Client(const std::string& host, const std::string& token, const std::string& team)
        : token_(token), team_(team) {
        context_ = zmq_init(1);
        states_ = zmq_socket(context_, ZMQ_SUB);
        checked(zmq_setsockopt(states_, ZMQ_SUBSCRIBE, token.data(), token.size()) == 0,
                "subscribing");
        checked(zmq_connect(states_, ("tcp://" + host + ":5556").c_str()) == 0,
                "connecting to 5556");
        commands_ = zmq_socket(context_, ZMQ_REQ);
        checked(zmq_connect(commands_, ("tcp://" + host + ":5557").c_str()) == 0,
                "connecting to 5557");
        board_.assign(kRows * kColumns, 0);
    }

    ~Client() {
        const int none = 0;
        zmq_setsockopt(commands_, ZMQ_LINGER, &none, sizeof none);
        zmq_close(commands_);
        zmq_close(states_);
        zmq_term(context_);
    }

    void enter(const std::string& password) {
        Json::Value request;
        request["comm_type"] = "MatchConnect";
        request["match_token"] = token_;
        request["team_name"] = team_;
        request["password"] = password;
        const Json::Value reply = asked(request);
        if (text_of(reply, "comm_type") != "MatchConnectResp") throw Broken("no MatchConnectResp");
        if (text_of(reply, "resp") != "ok") throw Broken("resp is not ok");
        client_token_ = text_of(reply, "client_token");
    }

    void play() {
        while (true) {
            bool more = false;
            const std::string envelope = receive_text(states_, &more);
            if (!more) throw Broken("a message of one frame");
            // A 2.x publisher or peer filters at the subscriber's side: nothing else comes here.
            if (envelope != token_) throw Broken("a message for " + envelope);
            const Json::Value message = parsed(receive_text(states_, &more));
            if (more) throw Broken("a message of three frames");
            const std::string type = text_of(message, "comm_type");
            if (type == "MatchEnd") {
                if (text_of(message, "status") != "ENDED") throw Broken("status is not ENDED");
                std::cout << "match over " << pieces_ << " " << rows_ << " " << sent_ << std::endl;
                return;
            }
            const int sequence = integer_of(message, "sequence");
            if (sequence <= sequence_) throw Broken("the sequence does not rise");
            sequence_ = sequence;
            if (!field(message, "timestamp").isDouble()) throw Broken("timestamp is no number");
            text_of(message, "game_name");
            if (type == "GameBoardState") {
                board_shown(field(field(message, "states"), team_.c_str()));
            } else if (type == "GamePieceState") {
                pieces_shown(message);
            } else if (type == "GameEnd") {
                game_over(message);
            } else {
                throw Broken("unknown comm_type " + type);
            }
        }
    }

  private:
    Json::Value asked(const Json::Value& request) {
        send_text(commands_, Json::FastWriter().write(request));
        bool more = false;
        const Json::Value reply = parsed(receive_text(commands_, &more));
        if (more) throw Broken("a reply of two frames");
        if (text_of(reply, "comm_type") == "ErrorResp") {
            throw Refused(text_of(reply, "error") + ": " + text_of(reply, "message"));
        }
        return reply;
    }

    void board_shown(const Json::Value& state) {
        board_ = board_from(text_of(state, "board_state"));
        integer_of(state, "piece_number");
        const Json::Value& cleared = field(state, "cleared_rows");
        if (!cleared.isArray()) throw Broken("cleared_rows is no list");
        for (Json::ArrayIndex i = 0; i < cleared.size(); ++i) {
            const int row = cleared[i].asInt();
            if (row < 0 || row >= kRows) throw Broken("a cleared row outside the board");
            ++rows_;
        }
    }

    void pieces_shown(const Json::Value& message) {
        const Json::Value& queue = field(message, "queue");
        // The team had room for five and no more.
        if (!queue.isArray() || queue.size() != 5)
            throw Broken("a queue of other than five pieces");
        for (Json::ArrayIndex i = 0; i < queue.size(); ++i) shape_named(queue[i].asString());
        const Json::Value& mine = field(field(message, "states"), team_.c_str());
        if (mine.isNull()) return;
        const int number = integer_of(mine, "number");
        if (number == -1) throw Broken("-1 as a piece's number");
        if (number == number_) return;
        number_ = number;
        ++pieces_;
        const Shape& shape = shape_named(text_of(mine, "piece"));
        State at = {integer_of(mine, "row"), integer_of(mine, "col"), integer_of(mine, "orient")};
        if (at.turn < 0 || at.turn >= static_cast<int>(shape.turns.size())) {
            throw Broken("no such orientation");
        }
        const std::vector<std::string> moves = planned(board_, shape, at);
        for (size_t i = 0; i < moves.size(); ++i) {
            Json::Value request;
            request["comm_type"] = "GameMove";
            request["client_token"] = client_token_;
            request["move"] = moves[i];
            request["piece_number"] = number;
            const Json::Value reply = asked(request);
            ++sent_;
            if (text_of(reply, "comm_type") != "GameMoveResp") throw Broken("no GameMoveResp");
            // The text has "ok"; the team found "OK" and took everything else for a failure.
            if (text_of(reply, "resp") != "OK") break;
        }
    }

    void game_over(const Json::Value& message) {
        const Json::Value& scores = field(message, "scores");
        const std::vector<std::string> teams = scores.getMemberNames();
        int theirs = 0;
        for (size_t i = 0; i < teams.size(); ++i) {
            const int score = integer_of(scores, teams[i].c_str());
            if (teams[i] != team_) theirs = score;
        }
        if (text_of(message, "match_token") != token_) throw Broken("GameEnd of another match");
        const bool won = text_of(message, "winner") == team_;
        std::cout << "game " << text_of(message, "game_name") << " "
                  << integer_of(scores, team_.c_str()) << " " << theirs << " "
                  << (won ? "winner" : "loser") << std::endl;
        board_.assign(kRows * kColumns, 0);
    }

    std::string token_, team_, client_token_;
    void* context_;
    void* states_;
    void* commands_;
    Board board_;
    int sequence_ = -1;
    int number_ = -1;
    long pieces_ = 0;
    long rows_ = 0;
    long sent_ = 0;
};

}  // namespace

int main(int count, char** words) {
    if (count != 5) {
        std::cerr << "planner HOST TOKEN TEAM PASSWORD" << std::endl;
        return 64;
    }
    try {
        Client client(words[1], words[2], words[3]);
        client.enter(words[4]);
        client.play();
    } catch (const Refused& error) {
        std::cerr << "refused: " << error.what() << std::endl;
        return 2;
    } catch (const std::exception& error) {
        std::cerr << "broken: " << error.what() << std::endl;
        return 1;
    }
    return 0;
}
