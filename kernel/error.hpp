// The exception type of the kernel: a kind and a message.
#pragma once

#include <stdexcept>
#include <string>

namespace sevenbag {

enum class ErrorKind { piece, board, kicks, rules, placement, queue, input };

class Error : public std::runtime_error {
  public:
    Error(ErrorKind kind, const std::string& text) : std::runtime_error(text), kind_(kind) {}
    ErrorKind kind() const { return kind_; }

  private:
    ErrorKind kind_;
};

// Throws Error(kind): "invalid NAME: expected EXPECTED, got GOT".
[[noreturn]] void throw_invalid(ErrorKind kind, const std::string& name,
                                const std::string& expected, const std::string& got);

// Throws Error(kind) unless min <= value <= max.
void check_range(const char* name, double value, double min, double max,
                 ErrorKind kind = ErrorKind::rules);

}  // namespace sevenbag
