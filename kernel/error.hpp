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

// Throws Error(rules) unless least <= value <= most.
void check_range(const char* name, double value, double min, double max);

}  // namespace sevenbag
